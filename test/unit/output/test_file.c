/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "output/driver.h"

/* Lines of one size are easy to count. */
#define MESSAGE "0123456789"
#define LINE \
	"{\"type\":\"service_check\",\"name\":\"c\",\"ts\":1,\"host\":\"\",\"tags\":[]," \
	"\"status\":0," \
	"\"message\":\"0123456789\"}\n"
#define LINE_SIZE (sizeof(LINE) - 1)

extern const struct output_ops output_ops_file;

static char folder[] = "/tmp/penstock-file-XXXXXX";
static char path[64], moved[64];

static int
make_folder(void **state)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (mkdtemp(folder) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/out", folder);
	snprintf(moved, sizeof(moved), "%s/out.1", folder);
	return 0;
}

static int
remove_files(void **state)
{
	unlink(path);
	unlink(moved);
	return 0;
}

static int
remove_folder(void **state)
{
	return rmdir(folder);
}

static void *
opened(const char *at)
{
	const struct output_spec spec = {.type = "file", .name = "file", .path = at};
	struct error error = {""};
	void *file = NULL;

	assert_int_equal(output_ops_file.open(&spec, &file, &error), 0);
	return file;
}

/* stop_fd: see output/driver.h; -1 never is readable. */
static struct output_result
written_until(void *file, size_t n, int stop_fd)
{
	static struct flush_check checks[40000];
	const struct flush flush = {.checks = checks, .n_checks = n};
	struct output_result result = {0};

	for (size_t i = 0; i < n; i++)
		checks[i].check = (struct service_check){.name = SPAN_LITERAL("c"),
			.message = SPAN_LITERAL(MESSAGE),
			.timestamp = 1};
	output_ops_file.write(file, &flush, stop_fd, &result);
	assert_int_equal(result.delivered + result.dropped[OUTPUT_WRITE_ERROR] +
			result.dropped[OUTPUT_STOPPED],
		n);
	return result;
}

static struct output_result
written(void *file, size_t n)
{
	return written_until(file, n, -1);
}

static void
put(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fputs(text, file) >= 0, 1);
	fclose(file);
}

/* The file is start, then n whole lines, and nothing else. */
static void
assert_file(const char *at, const char *start, size_t n)
{
	FILE *file = fopen(at, "r");
	char line[2 * LINE_SIZE];

	assert_non_null(file);
	for (size_t i = 0; start[i] != '\0'; i++)
		assert_int_equal(fgetc(file), start[i]);
	for (size_t i = 0; i < n; i++) {
		assert_non_null(fgets(line, sizeof(line), file));
		assert_string_equal(line, LINE);
	}
	assert_int_equal(fgetc(file), EOF);
	fclose(file);
}

static void
appends_lines(void **state)
{
	struct stat status;
	void *file;

	umask(022);
	put("{}\n");
	unlink(path);
	file = opened(path);
	assert_int_equal(written(file, 2).delivered, 2);
	assert_int_equal(written(file, 0).delivered, 0);
	assert_int_equal(written(file, 1).delivered, 1);
	output_ops_file.close(file);
	file = opened(path);
	assert_int_equal(written(file, 1).delivered, 1);
	output_ops_file.close(file);
	assert_file(path, "", 4);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0644);
}

static void
writes_more_than_one_piece(void **state)
{
	void *file = opened(path);

	assert_int_equal(written(file, 40000).delivered, 40000); /* 3.4 MB */
	output_ops_file.close(file);
	assert_file(path, "", 40000);
}

static void
removes_a_line_that_a_crash_cut(void **state)
{
	void *file;

	put("{\"a\":1}\n{\"type\":\"count\",\"na");
	file = opened(path);
	written(file, 1);
	output_ops_file.close(file);
	assert_file(path, "{\"a\":1}\n", 1);

	put("{\"ty");
	file = opened(path);
	written(file, 1);
	output_ops_file.close(file);
	assert_file(path, "", 1);
}

static void
ends_a_line_that_is_not_its_own(void **state)
{
	void *file;

	put("root:x:0:0");
	file = opened(path);
	written(file, 2);
	output_ops_file.close(file);
	assert_file(path, "root:x:0:0\n", 2);
}

static void
finds_the_last_newline_far_from_the_end(void **state)
{
	FILE *cut = fopen(path, "w");
	void *file;

	fputs("{}\n{\"type\":\"count\",\"name\":\"", cut);
	for (int i = 0; i < 100000; i++)
		fputc('x', cut);
	fclose(cut);
	file = opened(path);
	written(file, 1);
	output_ops_file.close(file);
	assert_file(path, "{}\n", 1);
}

static void
follows_a_rotation(void **state)
{
	void *file = opened(path);

	written(file, 1);
	assert_int_equal(rename(path, moved), 0);
	written(file, 2);
	assert_file(moved, "", 1);
	assert_file(path, "", 2);
	assert_int_equal(unlink(path), 0);
	written(file, 3);
	assert_file(path, "", 3);
	assert_int_equal(truncate(path, 0), 0); /* copytruncate */
	written(file, 4);
	assert_file(path, "", 4);
	output_ops_file.close(file);
}

/* A limit on the size of the file acts as a full disk: a write is cut, the next one fails. */
static void
takes_back_the_cut_line_when_the_disk_is_full(void **state)
{
	struct rlimit limit, before;
	struct output_result result;
	void *file = opened(path);

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 10 * LINE_SIZE + 5;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	result = written(file, 12);
	assert_int_equal(result.delivered, 10);
	assert_int_equal(result.dropped[OUTPUT_WRITE_ERROR], 2);
	assert_file(path, "", 10);
	assert_int_equal(written(file, 3).delivered, 0);
	assert_file(path, "", 10);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(written(file, 3).delivered, 3);
	assert_file(path, "", 13);
	output_ops_file.close(file);
}

static void
drops_all_on_a_full_device_and_goes_on(void **state)
{
	void *file = opened("/dev/full");

	for (int i = 0; i < 3; i++)
		assert_int_equal(written(file, 5).dropped[OUTPUT_WRITE_ERROR], 5);
	output_ops_file.close(file);
	file = opened("/dev/null");
	assert_int_equal(written(file, 5).delivered, 5);
	output_ops_file.close(file);
}

static void
waits_for_no_reader_of_a_fifo(void **state)
{
	char text[3 * LINE_SIZE];
	void *file;
	int reader;

	assert_int_equal(mkfifo(path, 0600), 0);
	file = opened(path);
	assert_int_equal(written(file, 1).delivered, 0);
	reader = open(path, O_RDONLY | O_NONBLOCK);
	assert_int_equal(written(file, 1).delivered, 1);
	assert_int_equal(read(reader, text, sizeof(text)), LINE_SIZE);
	close(reader);
	assert_int_equal(written(file, 1).delivered, 0);
	reader = open(path, O_RDONLY | O_NONBLOCK);
	assert_int_equal(written(file, 2).delivered, 2);
	assert_int_equal(read(reader, text, sizeof(text)), 2 * LINE_SIZE);
	close(reader);
	output_ops_file.close(file);
}

static void
gives_up_on_a_fifo_that_is_not_read(void **state)
{
	static char text[1 << 17];
	struct output_result result;
	void *file;
	ssize_t size;
	int reader;

	assert_int_equal(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK);
	file = opened(path);
	result = written(file, 2000);
	assert_true(result.delivered > 0 && result.delivered < 2000);
	size = read(reader, text, sizeof(text));
	assert_int_equal((size_t)size / LINE_SIZE, result.delivered);
	/* What was cut is ended, so that the next line is whole. */
	assert_int_equal(written(file, 1).delivered, 1);
	assert_int_equal(read(reader, text, sizeof(text)), LINE_SIZE + (size % LINE_SIZE != 0));
	assert_int_equal(text[0], size % LINE_SIZE != 0 ? '\n' : '{');
	close(reader);
	output_ops_file.close(file);
}

/* PIECE_SIZE of lines or a full FIFO, whichever comes first, and then no more. */
static void
stops_in_the_middle_when_told_to(void **state)
{
	int stop_fd = eventfd(1, 0), reader;
	struct output_result result;
	struct timespec began, ended;
	void *file;

	assert_true(stop_fd >= 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK);
	file = opened(path);
	clock_gettime(CLOCK_MONOTONIC, &began);
	result = written_until(file, 2000, stop_fd);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	assert_true(ended.tv_sec - began.tv_sec <= 2);
	assert_true(result.delivered > 0);
	assert_int_equal(result.dropped[OUTPUT_STOPPED], 2000 - result.delivered);
	output_ops_file.close(file);
	close(reader);
	unlink(path);

	file = opened(path);
	result = written_until(file, 40000, stop_fd);
	assert_int_equal(result.delivered, (1 << 20) / LINE_SIZE + 1);
	assert_file(path, "", result.delivered);
	/* What fits into one piece is written in spite of it. */
	assert_int_equal(written_until(file, 5, stop_fd).delivered, 5);
	output_ops_file.close(file);
	close(stop_fd);
}

static void
refuse(const char *at, int error_number, const char *sentence)
{
	const struct output_spec spec = {.type = "file", .name = "out", .path = at};
	struct error error;
	void *file = NULL;

	assert_int_equal(output_ops_file.open(&spec, &file, &error), -error_number);
	assert_null(file);
	assert_string_equal(error.text, sentence);
}

static void
refuses_a_file_that_is_written_already(void **state)
{
	void *file = opened(path);
	char sentence[256];

	snprintf(sentence, sizeof(sentence),
		"output 'out': another process or output writes %s; change the output's path",
		path);
	refuse(path, EBUSY, sentence);
	output_ops_file.close(file);
	output_ops_file.close(opened(path));

	/* The same under another name. */
	assert_int_equal(symlink(path, moved), 0);
	file = opened(moved);
	refuse(path, EBUSY, sentence);
	output_ops_file.close(file);
}

static void
refuses_with_the_way_out(void **state)
{
	char sentence[256];

	refuse("", EINVAL, "output 'out': an output of type file needs a path");
	refuse("/tmp", EISDIR, "output 'out': /tmp is a folder; name a file in it");
	refuse("/nonexistent/a/b.ndjson", ENOENT,
		"output 'out': cannot create /nonexistent/a/b.ndjson: there is no folder "
		"/nonexistent/a; create it (mkdir -p /nonexistent/a) or change the output's path");
	refuse("/dev/null/x", ENOTDIR,
		"output 'out': cannot open /dev/null/x: Not a directory; change the output's path");
	if (geteuid() == 0)
		return; /* root may write anywhere */
	snprintf(sentence, sizeof(sentence),
		"output 'out': user %u may not write /x.ndjson (Permission denied); change the "
		"owner of / or the output's path",
		(unsigned)geteuid());
	refuse("/x.ndjson", EACCES, sentence);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(appends_lines, remove_files),
		cmocka_unit_test_teardown(writes_more_than_one_piece, remove_files),
		cmocka_unit_test_teardown(removes_a_line_that_a_crash_cut, remove_files),
		cmocka_unit_test_teardown(ends_a_line_that_is_not_its_own, remove_files),
		cmocka_unit_test_teardown(finds_the_last_newline_far_from_the_end, remove_files),
		cmocka_unit_test_teardown(follows_a_rotation, remove_files),
		cmocka_unit_test_teardown(takes_back_the_cut_line_when_the_disk_is_full,
			remove_files),
		cmocka_unit_test(drops_all_on_a_full_device_and_goes_on),
		cmocka_unit_test_teardown(waits_for_no_reader_of_a_fifo, remove_files),
		cmocka_unit_test_teardown(gives_up_on_a_fifo_that_is_not_read, remove_files),
		cmocka_unit_test_teardown(stops_in_the_middle_when_told_to, remove_files),
		cmocka_unit_test_teardown(refuses_a_file_that_is_written_already, remove_files),
		cmocka_unit_test(refuses_with_the_way_out),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

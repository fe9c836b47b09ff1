/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NDJSON appended to a file. A regular file only ever ends in a whole line: what a failed write
 * left of a line is taken back, what a crash left is taken back at open. A FIFO or a device gets a
 * newline instead, so that one line is damaged and not two.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "output/driver.h"
#include "output/ndjson.h"

#define PIECE_SIZE ((size_t)1 << 20)
#define STALL_NS (5 * NS_PER_S) /* how long one flush waits for a reader that does not read */
#define LOG_INTERVAL_NS (60 * NS_PER_S)
#define LINE_MAX_SIZE ((off_t)16 << 20) /* a longer rest without newline is not one of ours */
#define LINE_START "{\"type\":\""

struct file {
	char *name, *path;
	int fd; /* -1: to be opened at the next write */
	bool is_regular;
	dev_t device;
	ino_t inode;
	bool has_cut_line; /* begin with a newline */
	struct json text;

	/* What the log was told. */
	bool is_trouble_known;
	uint64_t n_dropped; /* since the last message */
	uint64_t logged_ns; /* last warning; 0 before the first */
};

/* How long a write may wait. */
struct patience {
	uint64_t deadline; /* monotonic ns */
	int stop_fd; /* readable: no longer at all */
};

static uint64_t
now_ns(void)
{
	return clock_monotonic(&clock_system);
}

static const char *
reason(int error_number)
{
	switch (error_number) {
	case ENXIO:
		return "nobody reads it";
	case EBUSY:
		return "another process or output writes it";
	case EPIPE:
		return "its reader has gone";
	case ETIMEDOUT:
		return "its reader does not read";
	default:
		return strerror(error_number);
	}
}

/* At most one line a minute, so that a disk that is full for days does not fill another one. */
static void
note_dropped(struct file *file, uint64_t n, int error_number)
{
	uint64_t now = now_ns();

	file->n_dropped += n;
	if (file->logged_ns != 0 && now - file->logged_ns < LOG_INTERVAL_NS)
		return;
	log_warning("output '%s': cannot write %s: %s; points dropped: %llu; trying again with the "
		    "next flush",
		file->name, file->path, reason(error_number), (unsigned long long)file->n_dropped);
	file->is_trouble_known = true;
	file->logged_ns = now;
	file->n_dropped = 0;
}

static void
note_delivered(struct file *file)
{
	if (!file->is_trouble_known)
		return;
	if (file->n_dropped != 0)
		log_info("output '%s': writing %s again; points dropped since the last message: "
			 "%llu",
			file->name, file->path, (unsigned long long)file->n_dropped);
	else
		log_info("output '%s': writing %s again", file->name, file->path);
	file->is_trouble_known = false;
	file->n_dropped = 0;
}

/* Offset behind the last newline of the file, or -1 when it is too far from the end. */
static off_t
find_line_start(int fd, off_t end)
{
	char block[4096];
	off_t limit = end > LINE_MAX_SIZE ? end - LINE_MAX_SIZE : 0;

	for (off_t at = end; at > limit;) {
		size_t size =
			at - limit < (off_t)sizeof(block) ? (size_t)(at - limit) : sizeof(block);
		const char *newline;

		at -= (off_t)size;
		if (pread(fd, block, size, at) != (ssize_t)size)
			return -1;
		newline = memrchr(block, '\n', size);
		if (newline != NULL)
			return at + (newline - block) + 1;
	}
	return limit == 0 ? 0 : -1;
}

/* After a kill or a power cut the last line may be cut. If it is ours it goes, else it is ended. */
static void
repair_end(struct file *file)
{
	char start[sizeof(LINE_START) - 1];
	off_t end = lseek(file->fd, 0, SEEK_END), line = find_line_start(file->fd, end);
	ssize_t size;

	if (end <= 0 || line == end)
		return;
	file->has_cut_line = true;
	size = line >= 0 ? pread(file->fd, start, sizeof(start), line) : 0;
	if (size <= 0 || memcmp(start, LINE_START, (size_t)size) != 0)
		return;
	if (ftruncate(file->fd, line) != 0)
		return;
	file->has_cut_line = false;
	log_warning("output '%s': %s ended inside a line; its last %lld bytes were removed",
		file->name, file->path, (long long)(end - line));
}

/* Two writers would take back and repair each other's lines. Where a file system has no locks it is
 * up to the user. */
static bool
is_taken(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

static int
open_path(struct file *file)
{
	struct stat status;
	bool is_new = stat(file->path, &status) != 0;
	/* Reading is for repair_end. O_NONBLOCK: a FIFO without a reader must not hold us. */
	int access_mode = is_new || S_ISREG(status.st_mode) ? O_RDWR : O_WRONLY;
	int fd = open(file->path,
		access_mode | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) != 0) {
		int error = errno;

		close(fd);
		return -error;
	}
	if (S_ISREG(status.st_mode) && is_taken(fd)) {
		close(fd);
		return -EBUSY;
	}
	file->fd = fd;
	file->is_regular = S_ISREG(status.st_mode);
	file->device = status.st_dev;
	file->inode = status.st_ino;
	if (file->is_regular) {
		file->has_cut_line = false;
		repair_end(file);
	}
	return 0;
}

static void
close_path(struct file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

/* The sentence for an open that failed. */
static int
explain(const struct output_spec *spec, int error_number, struct error *error)
{
	const char *slash = strrchr(spec->path, '/');
	int folder_size = slash == NULL ? 1 : slash == spec->path ? 1 : (int)(slash - spec->path);
	const char *folder = slash == NULL ? "." : spec->path;

	switch (error_number) {
	case ENOENT:
		return error_fill(error, ENOENT,
			"output '%s': cannot create %s: there is no folder %.*s; create it (mkdir "
			"-p %.*s) or change the output's path",
			spec->name, spec->path, folder_size, folder, folder_size, folder);
	case EACCES:
	case EPERM:
	case EROFS:
		return error_fill(error, error_number,
			"output '%s': user %u may not write %s (%s); change the owner of %.*s or "
			"the output's path",
			spec->name, (unsigned)geteuid(), spec->path, strerror(error_number),
			folder_size, folder);
	case EBUSY:
		return error_fill(error, EBUSY,
			"output '%s': another process or output writes %s; change the output's "
			"path",
			spec->name, spec->path);
	case EISDIR:
		return error_fill(error, EISDIR, "output '%s': %s is a folder; name a file in it",
			spec->name, spec->path);
	default:
		return error_fill(error, error_number,
			"output '%s': cannot open %s: %s; change the output's path", spec->name,
			spec->path, strerror(error_number));
	}
}

static void
close_file(void *state)
{
	struct file *file = state;

	if (file == NULL)
		return;
	close_path(file);
	json_done(&file->text);
	free(file->name);
	free(file->path);
	free(file);
}

static bool
is_fifo(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
}

static int
open_file(const struct output_spec *spec, void **ret_state, struct error *error)
{
	struct file *file;
	int result;

	if (spec->path == NULL || spec->path[0] == '\0')
		return error_fill(error, EINVAL, "output '%s': an output of type file needs a path",
			spec->name);
	file = calloc(1, sizeof(*file));
	if (file == NULL)
		return error_fill(error, ENOMEM, "output '%s': no memory", spec->name);
	file->fd = -1;
	file->name = strdup(spec->name);
	file->path = strdup(spec->path);
	if (file->name == NULL || file->path == NULL) {
		close_file(file);
		return error_fill(error, ENOMEM, "output '%s': no memory", spec->name);
	}
	result = open_path(file);
	if (result == -ENXIO && is_fifo(spec->path)) {
		log_warning("output '%s': nobody reads the FIFO %s yet; points are dropped until "
			    "somebody does",
			file->name, file->path);
	} else if (result != 0) {
		close_file(file);
		return explain(spec, -result, error);
	}
	*ret_state = file;
	return 0;
}

/* Opens what is not open, and anew what was moved or deleted since (logrotate). */
static int
ensure_open(struct file *file)
{
	struct stat status;

	if (file->fd >= 0 && file->is_regular &&
		(stat(file->path, &status) != 0 || status.st_dev != file->device ||
			status.st_ino != file->inode))
		close_path(file);
	return file->fd >= 0 ? 0 : open_path(file);
}

/* 0 when the descriptor takes more, or -ETIMEDOUT, -ECANCELED, … */
static int
wait_writable(int fd, const struct patience *patience)
{
	struct pollfd wait[] = {
		{.fd = patience->stop_fd, .events = POLLIN},
		{.fd = fd, .events = POLLOUT},
	};
	uint64_t now = now_ns();

	if (now >= patience->deadline)
		return -ETIMEDOUT;
	if (poll(wait, 2, (int)((patience->deadline - now) / NS_PER_MS) + 1) < 0 && errno != EINTR)
		return -errno;
	return wait[0].revents != 0 ? -ECANCELED : 0;
}

static bool
is_stopped(const struct patience *patience)
{
	struct pollfd wait = {.fd = patience->stop_fd, .events = POLLIN};

	return poll(&wait, 1, 0) == 1;
}

/* ret_written is set on failure too. */
static int
write_all(int fd, const char *text, size_t size, const struct patience *patience,
	size_t *ret_written)
{
	size_t written = 0;
	int result = 0;

	while (written < size && result == 0) {
		ssize_t n = write(fd, text + written, size - written);

		if (n >= 0)
			written += (size_t)n;
		else if (errno == EAGAIN)
			result = wait_writable(fd, patience);
		else if (errno != EINTR)
			result = -errno;
	}
	*ret_written = written;
	return result;
}

/* Removes the last size bytes again, if they are ours and this kind of file can. */
static bool
take_back(const struct file *file, size_t size)
{
	off_t end = lseek(file->fd, 0, SEEK_CUR);
	struct stat status;

	return file->is_regular && fstat(file->fd, &status) == 0 && status.st_size == end &&
		ftruncate(file->fd, end - (off_t)size) == 0;
}

/* Writes whole lines. ret_lines, set on failure too: how many of them the file keeps. */
static int
write_lines(struct file *file, size_t size, const struct patience *patience, size_t *ret_lines)
{
	const char *text = file->text.text, *last;
	size_t written, whole, n_lines = 0;
	int result = 0;

	if (file->has_cut_line) {
		result = write_all(file->fd, "\n", 1, patience, &written);
		if (result == 0)
			file->has_cut_line = false;
	}
	written = 0;
	if (result == 0)
		result = write_all(file->fd, text, size, patience, &written);
	last = written != 0 ? memrchr(text, '\n', written) : NULL;
	whole = last != NULL ? (size_t)(last - text) + 1 : 0;
	if (whole < written && !take_back(file, written - whole))
		file->has_cut_line = true;
	for (size_t i = 0; i < whole; i++)
		n_lines += text[i] == '\n';
	*ret_lines = n_lines;
	return result;
}

/* Encodes lines from first on until a piece is full. Returns how many; *ret_size is their size. A
 * line for which there was no memory is not among them and ends the piece. */
static size_t
encode_piece(struct file *file, const struct flush *flush, size_t first, size_t *ret_size)
{
	size_t n_lines = ndjson_n_lines(flush), at = first;

	json_reset(&file->text);
	*ret_size = 0;
	while (at < n_lines && *ret_size < PIECE_SIZE) {
		ndjson_line(&file->text, flush, at);
		if (file->text.failed)
			break;
		*ret_size = file->text.size;
		at++;
	}
	return at - first;
}

static void
write_file(void *state, const struct flush *flush, int stop_fd, struct output_result *result)
{
	struct file *file = state;
	const struct patience patience = {.deadline = now_ns() + STALL_NS, .stop_fd = stop_fd};
	size_t n_lines = ndjson_n_lines(flush), at = 0;
	int error = n_lines != 0 ? ensure_open(file) : 0;

	while (at < n_lines && error == 0) {
		size_t size, n_written, n_encoded = encode_piece(file, flush, at, &size);

		error = write_lines(file, size, &patience, &n_written);
		result->delivered += n_written;
		at += n_written;
		if (error == 0 && file->text.failed && n_written == n_encoded) {
			result->dropped[OUTPUT_NO_MEMORY]++;
			at++;
		}
		if (error == 0 && at < n_lines && is_stopped(&patience))
			error = -ECANCELED;
	}
	if (error == -ECANCELED) {
		result->dropped[OUTPUT_STOPPED] += n_lines - at;
		return;
	}
	result->dropped[OUTPUT_WRITE_ERROR] += n_lines - at;
	if (error == -EPIPE)
		close_path(file); /* the reader has gone; the next one gets a new open */
	if (error != 0)
		note_dropped(file, n_lines - at, -error);
	else if (n_lines != 0)
		note_delivered(file);
}

const struct output_ops output_ops_file = {
	.type = "file",
	.open = open_file,
	.write = write_file,
	.close = close_file,
};

/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/unix_socket.h"

struct place {
	char folder[64];
	char path[96];
	struct unix_socket socket;
	struct error error;
};

static int
make_place(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	snprintf(place->folder, sizeof(place->folder), "/tmp/penstock-test-XXXXXX");
	if (mkdtemp(place->folder) == NULL)
		return -1;
	snprintf(place->path, sizeof(place->path), "%s/dsd.socket", place->folder);
	place->socket.fd = -1;
	*state = place;
	return 0;
}

/* Also the test that nothing is left behind in the folder. */
static int
remove_place(void **state)
{
	struct place *place = *state;
	int err = rmdir(place->folder);

	free(place);
	return err;
}

static int
open_at(struct place *place, int type)
{
	return unix_socket_open(place->path, type, 0722, &place->socket, &place->error);
}

static int
connect_to(const struct unix_socket *socket_, int type)
{
	int fd = socket(AF_UNIX, type, 0);
	int err = connect(fd, (const struct sockaddr *)&socket_->address, sizeof(socket_->address));

	close(fd);
	return err;
}

static void
listens_and_removes_its_file(void **state)
{
	static const int types[] = {SOCK_DGRAM, SOCK_STREAM};
	struct place *place = *state;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(open_at(place, types[i]), 0);
		assert_int_equal(connect_to(&place->socket, types[i]), 0);
		assert_true(fcntl(place->socket.fd, F_GETFL) & O_NONBLOCK);
		assert_true(fcntl(place->socket.fd, F_GETFD) & FD_CLOEXEC);
		unix_socket_close(&place->socket);
		assert_int_equal(access(place->path, F_OK), -1);
		unix_socket_close(&place->socket);
	}
}

static void
sets_the_mode_under_any_umask(void **state)
{
	static const mode_t masks[] = {0, 022, 077};
	struct place *place = *state;

	for (int i = 0; i < 3; i++) {
		mode_t old = umask(masks[i]);
		struct stat file;

		assert_int_equal(open_at(place, SOCK_STREAM), 0);
		umask(old);
		assert_int_equal(lstat(place->path, &file), 0);
		assert_int_equal(file.st_mode & 07777, 0722);
		unix_socket_close(&place->socket);
	}
}

/* What a killed process leaves: nobody unlinks. */
static void
leave_socket(struct place *place, int type)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (open_at(place, type) != 0)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	waitpid(child, &status, 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(access(place->path, F_OK), 0);
}

static void
replaces_what_a_killed_process_left(void **state)
{
	static const int types[] = {SOCK_DGRAM, SOCK_STREAM};
	struct place *place = *state;

	for (int left = 0; left < 2; left++) {
		for (int i = 0; i < 2; i++) {
			leave_socket(place, types[left]);
			assert_int_equal(open_at(place, types[i]), 0);
			assert_int_equal(connect_to(&place->socket, types[i]), 0);
			unix_socket_close(&place->socket);
		}
	}
}

static void
makes_room_for_who_binds_without_us(void **state)
{
	struct place *place = *state;
	int fd;

	assert_int_equal(unix_socket_make_room(place->path, &place->error), 0);
	leave_socket(place, SOCK_STREAM);
	assert_int_equal(unix_socket_make_room(place->path, &place->error), 0);
	assert_int_equal(access(place->path, F_OK), -1);

	assert_int_equal(open_at(place, SOCK_DGRAM), 0);
	assert_int_equal(unix_socket_make_room(place->path, &place->error), -EADDRINUSE);
	assert_int_equal(access(place->path, F_OK), 0);
	unix_socket_close(&place->socket);

	fd = open(place->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(unix_socket_make_room(place->path, &place->error), -ENOTSOCK);
	assert_int_equal(unlink(place->path), 0);
}

static void
leaves_a_living_owner_alone(void **state)
{
	static const int types[] = {SOCK_DGRAM, SOCK_STREAM};
	struct place *place = *state;
	struct unix_socket second;

	for (int owner = 0; owner < 2; owner++) {
		assert_int_equal(open_at(place, types[owner]), 0);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(unix_socket_open(place->path, types[i], 0722, &second,
						 &place->error),
				-EADDRINUSE);
			assert_non_null(strstr(place->error.text, place->path));
			assert_non_null(strstr(place->error.text, "running process"));
		}
		assert_int_equal(connect_to(&place->socket, types[owner]), 0);
		unix_socket_close(&place->socket);
	}
}

static void
names_the_pid_of_a_stream_socket(void **state)
{
	struct place *place = *state;
	struct unix_socket second;
	char pid[32];

	snprintf(pid, sizeof(pid), "process %d:", (int)getpid());
	assert_int_equal(open_at(place, SOCK_STREAM), 0);
	assert_int_equal(unix_socket_open(place->path, SOCK_STREAM, 0722, &second, &place->error),
		-EADDRINUSE);
	assert_non_null(strstr(place->error.text, pid));
	unix_socket_close(&place->socket);
}

static void
sees_an_owner_that_does_not_listen_yet(void **state)
{
	struct place *place = *state;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", place->path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(open_at(place, SOCK_STREAM), -EADDRINUSE);
	close(fd);
	unlink(place->path);
}

static void
assert_refused(struct place *place, const char *kind)
{
	struct stat before, after;

	assert_int_equal(lstat(place->path, &before), 0);
	assert_int_equal(open_at(place, SOCK_DGRAM), -ENOTSOCK);
	assert_non_null(strstr(place->error.text, place->path));
	assert_non_null(strstr(place->error.text, kind));
	assert_int_equal(lstat(place->path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
}

static void
refuses_what_is_not_a_socket(void **state)
{
	struct place *place = *state;
	char target[128];
	int fd;

	fd = open(place->path, O_CREAT | O_WRONLY, 0600);
	close(fd);
	assert_refused(place, "regular file");
	unlink(place->path);

	assert_int_equal(mkdir(place->path, 0700), 0);
	assert_refused(place, "folder");
	rmdir(place->path);

	assert_int_equal(mkfifo(place->path, 0600), 0);
	assert_refused(place, "FIFO");
	unlink(place->path);

	assert_int_equal(symlink("/nonexistent/socket", place->path), 0);
	assert_refused(place, "symbolic link");
	unlink(place->path);

	/* Not even one that leads to a socket that could be replaced. */
	leave_socket(place, SOCK_DGRAM);
	snprintf(target, sizeof(target), "%s.moved", place->path);
	assert_int_equal(rename(place->path, target), 0);
	assert_int_equal(symlink(target, place->path), 0);
	assert_refused(place, "symbolic link");
	unlink(place->path);
	unlink(target);
}

static void
takes_a_path_up_to_its_limit(void **state)
{
	struct place *place = *state;
	size_t size = strlen(place->path);
	char path[256];

	/* unix(7): sun_path has 108 bytes, one of them for the NUL. */
	memcpy(path, place->path, size);
	memset(path + size, 'x', sizeof(path) - size);
	path[107] = '\0';
	assert_int_equal(unix_socket_open(path, SOCK_DGRAM, 0600, &place->socket, &place->error),
		0);
	unix_socket_close(&place->socket);
	path[107] = 'x';
	path[108] = '\0';
	assert_int_equal(unix_socket_open(path, SOCK_DGRAM, 0600, &place->socket, &place->error),
		-ENAMETOOLONG);
	assert_non_null(strstr(place->error.text, "108 bytes"));
	assert_non_null(strstr(place->error.text, "at most 107"));
	assert_int_equal(unix_socket_open("", SOCK_DGRAM, 0600, &place->socket, &place->error),
		-EINVAL);
}

static void
asks_for_a_folder_that_is_missing(void **state)
{
	struct place *place = *state;
	char path[128], way_out[128];

	snprintf(path, sizeof(path), "%s/none/dsd.socket", place->folder);
	snprintf(way_out, sizeof(way_out), "mkdir -p %s/none", place->folder);
	assert_int_equal(unix_socket_open(path, SOCK_DGRAM, 0600, &place->socket, &place->error),
		-ENOENT);
	assert_non_null(strstr(place->error.text, way_out));

	close(open(place->path, O_CREAT | O_WRONLY, 0600));
	snprintf(path, sizeof(path), "%s/dsd.socket", place->path);
	assert_int_equal(unix_socket_open(path, SOCK_DGRAM, 0600, &place->socket, &place->error),
		-ENOTDIR);
	unlink(place->path);
}

static void
removes_no_file_but_its_own(void **state)
{
	struct place *place = *state;
	struct unix_socket second;

	assert_int_equal(open_at(place, SOCK_DGRAM), 0);
	unlink(place->path);
	assert_int_equal(unix_socket_open(place->path, SOCK_DGRAM, 0722, &second, &place->error),
		0);
	unix_socket_close(&place->socket);
	assert_int_equal(connect_to(&second, SOCK_DGRAM), 0);
	unix_socket_close(&second);
}

static void
lets_one_of_many_starters_win(void **state)
{
	enum {
		STARTERS = 8,
		ROUNDS = 20
	};
	struct place *place = *state;

	for (int round = 0; round < ROUNDS; round++) {
		int go[2], won[2], winners = 0, in_use = 0;
		pid_t starter[STARTERS];
		char byte;

		leave_socket(place, SOCK_STREAM);
		assert_int_equal(pipe(go), 0);
		assert_int_equal(pipe(won), 0);
		for (int i = 0; i < STARTERS; i++) {
			starter[i] = fork();
			if (starter[i] != 0)
				continue;
			close(go[1]);
			if (read(go[0], &byte, 1) != 0) /* all start when the parent closes it */
				_exit(1);
			switch (open_at(place, SOCK_STREAM)) {
			case 0:
				byte = 'w';
				break;
			case -EADDRINUSE:
				byte = 'u';
				break;
			default:
				byte = '?';
			}
			if (write(won[1], &byte, 1) != 1)
				_exit(1);
			pause();
		}
		close(go[1]);
		for (int i = 0; i < STARTERS; i++) {
			if (read(won[0], &byte, 1) != 1)
				byte = '?';
			winners += byte == 'w';
			in_use += byte == 'u';
		}
		close(go[0]);
		close(won[0]);
		close(won[1]);
		for (int i = 0; i < STARTERS; i++) {
			kill(starter[i], SIGKILL);
			waitpid(starter[i], NULL, 0);
		}
		assert_int_equal(winners, 1);
		assert_int_equal(in_use, STARTERS - 1);
	}
	unlink(place->path);
}

#define place_test(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		place_test(listens_and_removes_its_file),
		place_test(sets_the_mode_under_any_umask),
		place_test(replaces_what_a_killed_process_left),
		place_test(makes_room_for_who_binds_without_us),
		place_test(leaves_a_living_owner_alone),
		place_test(names_the_pid_of_a_stream_socket),
		place_test(sees_an_owner_that_does_not_listen_yet),
		place_test(refuses_what_is_not_a_socket),
		place_test(takes_a_path_up_to_its_limit),
		place_test(asks_for_a_folder_that_is_missing),
		place_test(removes_no_file_but_its_own),
		place_test(lets_one_of_many_starters_win),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

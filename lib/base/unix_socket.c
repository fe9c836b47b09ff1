/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/unix_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_TRIES 100
#define LOCK_PAUSE_MS 10

static int
set_address(struct unix_socket *s, const char *path, struct error *error)
{
	size_t size = strlen(path);

	if (size == 0)
		return error_fill(error, EINVAL, "the path of a Unix socket is empty");
	if (size >= sizeof(s->address.sun_path))
		return error_fill(error, ENAMETOOLONG,
			"%s: this path has %zu bytes, the path of a Unix socket at most %zu: "
			"choose a shorter one",
			path, size, sizeof(s->address.sun_path) - 1);
	s->address.sun_family = AF_UNIX;
	memcpy(s->address.sun_path, path, size + 1);
	return 0;
}

/*
 * Between finding a stale file and binding in its place nobody else may do the same: two starters
 * could each remove what the other has just made. The lock is on the folder, which needs no file
 * of its own that a killed process would leave behind. Returns its descriptor; closing unlocks.
 */
static int
lock_folder(const char *path, struct error *error)
{
	char folder[sizeof(((struct sockaddr_un *)0)->sun_path)];
	const char *slash = strrchr(path, '/');
	int fd;

	if (slash == NULL)
		snprintf(folder, sizeof(folder), ".");
	else
		snprintf(folder, sizeof(folder), "%.*s", slash > path ? (int)(slash - path) : 1,
			path);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return error_fill(error, ENOENT,
			"%s: there is no folder %s: create it (mkdir -p %s) or choose another path",
			path, folder, folder);
	if (fd < 0)
		return error_fill(error, errno, "%s: cannot open the folder %s: %s", path, folder,
			strerror(errno));
	for (int i = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; i++) {
		int number = errno;

		if ((number != EWOULDBLOCK && number != EINTR) || i == LOCK_TRIES) {
			close(fd);
			return error_fill(error, number, "%s: cannot lock the folder %s: %s", path,
				folder, strerror(number));
		}
		poll(NULL, 0, LOCK_PAUSE_MS);
	}
	return fd;
}

static const char *
kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "regular file";
	case S_IFDIR:
		return "folder";
	case S_IFLNK:
		return "symbolic link";
	case S_IFIFO:
		return "FIFO";
	default:
		return "device";
	}
}

/* 0 when it accepts a connection of this type, or -errno. Pid is left alone when not known. */
static int
try_connect(const struct sockaddr_un *address, int type, pid_t *ret_pid)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int fd = socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0)
		err = -errno;
	else if (type == SOCK_STREAM && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0)
		*ret_pid = peer.pid;
	close(fd);
	return err;
}

/*
 * A datagram socket finds any owner without being noticed: the kernel looks for one
 * (ECONNREFUSED: none) before it compares the types (EPROTOTYPE), and a stream socket that does
 * not listen yet is found too. Only a stream connection tells the owner's pid.
 */
static int
clear_path(const struct unix_socket *s, struct error *error)
{
	const char *path = s->address.sun_path;
	struct stat file;
	pid_t pid = 0;
	int err;

	if (lstat(path, &file) != 0)
		return errno == ENOENT ? 0
				       : error_fill(error, errno, "%s: %s", path, strerror(errno));
	if (!S_ISSOCK(file.st_mode))
		return error_fill(error, ENOTSOCK,
			"%s is a %s, not a socket: remove it or choose another path", path,
			kind_of(file.st_mode));
	err = try_connect(&s->address, SOCK_DGRAM, &pid);
	if (err == -EPROTOTYPE)
		try_connect(&s->address, SOCK_STREAM, &pid);
	if (pid != 0)
		return error_fill(error, EADDRINUSE,
			"%s belongs to the running process %d: stop it or choose another path",
			path, (int)pid);
	if (err == 0 || err == -EPROTOTYPE)
		return error_fill(error, EADDRINUSE,
			"%s belongs to a running process ('fuser %s' of the package psmisc names "
			"it): stop it or choose another path",
			path, path);
	if (err != -ECONNREFUSED && err != -ENOENT)
		return error_fill(error, -err,
			"%s: cannot find out whether its owner still runs: %s", path,
			strerror(-err));
	if (unlink(path) != 0 && errno != ENOENT)
		return error_fill(error, errno, "%s: cannot remove what an ended process left: %s",
			path, strerror(errno));
	return 0;
}

/*
 * Remembers which file bind made, and gives it the bits that the umask took. By descriptor: the
 * path could lead elsewhere by now.
 */
static int
own_file(struct unix_socket *s, mode_t mode)
{
	char by_descriptor[32];
	struct stat file;
	int fd = open(s->address.sun_path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	snprintf(by_descriptor, sizeof(by_descriptor), "/proc/self/fd/%d", fd);
	if (fstat(fd, &file) != 0)
		err = -errno;
	else if (!S_ISSOCK(file.st_mode))
		err = -ENOTSOCK;
	else if ((file.st_mode & 07777) != mode && chmod(by_descriptor, mode) != 0)
		err = -errno;
	close(fd);
	if (err == 0) {
		s->device = file.st_dev;
		s->inode = file.st_ino;
	}
	return err;
}

static int
bind_path(struct unix_socket *s, int type, mode_t mode, struct error *error)
{
	const char *path = s->address.sun_path;
	int err;

	s->fd = socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->fd < 0)
		return error_fill(error, errno, "%s: cannot make a socket: %s", path,
			strerror(errno));
	/* The kernel makes the file with the socket's own bits, less the umask: never wider. */
	if (fchmod(s->fd, mode) != 0 ||
		bind(s->fd, (const struct sockaddr *)&s->address, sizeof(s->address)) != 0) {
		err = error_fill(error, errno, "%s: cannot bind: %s", path, strerror(errno));
		close(s->fd);
		return err;
	}
	err = own_file(s, mode);
	if (err == 0 && type == SOCK_STREAM && listen(s->fd, SOMAXCONN) != 0)
		err = -errno;
	if (err != 0) {
		error_fill(error, -err, "%s: cannot set mode %04o and listen: %s", path,
			(unsigned)mode, strerror(-err));
		unix_socket_close(s);
	}
	return err;
}

/* Makes the path free for a socket. Returns the folder, locked until it is closed, or -errno. */
static int
claim_path(struct unix_socket *s, const char *path, struct error *error)
{
	int err = set_address(s, path, error);
	int folder;

	if (err < 0)
		return err;
	folder = lock_folder(path, error);
	if (folder < 0)
		return folder;
	err = clear_path(s, error);
	if (err == 0)
		return folder;
	close(folder);
	return err;
}

int
unix_socket_open(const char *path, int type, mode_t mode, struct unix_socket *ret_socket,
	struct error *error)
{
	struct unix_socket s = {.fd = -1};
	int folder = claim_path(&s, path, error);
	int err;

	if (folder < 0)
		return folder;
	err = bind_path(&s, type, mode, error);
	close(folder);
	if (err == 0)
		*ret_socket = s;
	return err;
}

int
unix_socket_make_room(const char *path, struct error *error)
{
	struct unix_socket s = {.fd = -1};
	int folder = claim_path(&s, path, error);

	if (folder < 0)
		return folder;
	close(folder);
	return 0;
}

/* No lock: until the socket is closed the path has a living owner, whom nobody replaces, and the
 * open socket keeps the inode number from being used again. */
void
unix_socket_unlink(struct unix_socket *s)
{
	struct stat file;

	if (s->fd >= 0 && lstat(s->address.sun_path, &file) == 0 && file.st_dev == s->device &&
		file.st_ino == s->inode)
		unlink(s->address.sun_path);
}

void
unix_socket_close(struct unix_socket *s)
{
	if (s->fd < 0)
		return;
	unix_socket_unlink(s);
	close(s->fd);
	s->fd = -1;
}

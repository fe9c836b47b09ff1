/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "penstockd/folder.h"

static void
a_private_folder_is_made_and_never_borrowed(void **state)
{
	char root[] = "/tmp/plan-folder-XXXXXX", folder[64], link[64], why[FOLDER_WHY_SIZE];
	struct stat status;

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(folder, sizeof(folder), "%s/private", root);
	snprintf(link, sizeof(link), "%s/link", root);
	assert_int_equal(folder_make(folder, true, why), 0);
	assert_int_equal(stat(folder, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	assert_int_equal(folder_make(folder, true, why), 0);
	assert_int_equal(symlink(folder, link), 0);
	assert_true(folder_make(link, true, why) < 0);
	assert_int_equal(chmod(folder, 0755), 0);
	assert_true(folder_make(folder, true, why) < 0);
	assert_non_null(strstr(why, "remove it, or set XDG_RUNTIME_DIR to a private folder"));
	unlink(link);
	rmdir(folder);
	rmdir(root);
}

static void
the_folder_of_a_path_is_what_stands_before_its_last_slash(void **state)
{
	char folder[16];

	(void)state;
	folder_of("/a/b/c", folder, sizeof(folder));
	assert_string_equal(folder, "/a/b");
	folder_of("/a", folder, sizeof(folder));
	assert_string_equal(folder, "/");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_private_folder_is_made_and_never_borrowed),
		cmocka_unit_test(the_folder_of_a_path_is_what_stands_before_its_last_slash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

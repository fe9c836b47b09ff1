/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a fuzz target once over each file of a corpus folder: the corpus as an ordinary test. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data;
	size_t size;
	long end;

	if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) < 0) {
		perror(path);
		exit(1);
	}
	rewind(file);
	/* Exactly the size: a sanitizer sees a read past the end. */
	data = malloc(end > 0 ? (size_t)end : 1);
	size = fread(data, 1, (size_t)end, file);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 1;
}

int
main(int argc, char **argv)
{
	char path[4096];
	int n = 0;

	for (int i = 1; i < argc; i++) {
		DIR *folder = opendir(argv[i]);
		struct dirent *entry;

		if (folder == NULL) {
			perror(argv[i]);
			return 1;
		}
		while ((entry = readdir(folder)) != NULL) {
			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof(path), "%s/%s", argv[i], entry->d_name);
			n += replay_file(path);
		}
		closedir(folder);
	}
	printf("%d inputs replayed\n", n);
	return n > 0 ? 0 : 1;
}

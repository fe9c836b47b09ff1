/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/plan_priv.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "penstockd/folder.h"
#include "penstockd/hardware.h"
#include "penstockd/settings.h"

static int
add_folder(struct planner *planner, const char *path, bool is_private)
{
	struct plan *plan = &planner->plan;
	struct plan_folder *folder =
		realloc(plan->folders, (plan->n_folders + 1) * sizeof(*folder));

	if (folder == NULL)
		return plan_out_of_memory(planner);
	plan->folders = folder;
	folder[plan->n_folders] = (struct plan_folder){strdup(path), is_private};
	if (folder[plan->n_folders].path == NULL)
		return plan_out_of_memory(planner);
	plan->n_folders++;
	return 0;
}

/* The folders of our own defaults are ours to make. */
static bool
can_make(const char *folder)
{
	char default_folder[PATH_MAX], above[PATH_MAX];
	bool is_default;

	folder_of(SETTINGS_ADMIN_SOCKET, default_folder, sizeof(default_folder));
	is_default = strcmp(folder, default_folder) == 0;
	folder_of(SETTINGS_OUTPUT_PATH, default_folder, sizeof(default_folder));
	is_default = is_default || strcmp(folder, default_folder) == 0;
	folder_of(folder, above, sizeof(above));
	return is_default && folder_check(above) == 0;
}

/* The folder of a path that will be made must be there, or be one that we make. */
static int
plan_path(struct planner *planner, const char *setting, const char *path)
{
	char folder[PATH_MAX];
	int error;

	if (path[0] != '/')
		return 0;
	folder_of(path, folder, sizeof(folder));
	for (uint32_t i = 0; i < planner->plan.n_folders; i++)
		if (strcmp(planner->plan.folders[i].path, folder) == 0)
			return 0;
	error = folder_check(folder);
	if (error == -ENOENT && can_make(folder))
		return add_folder(planner, folder, false);
	if (error == -ENOENT)
		return plan_refuse(planner, PLAN_EXIT_RESOURCE,
			"%s: the folder %.150s does not exist: 'mkdir -p %.150s', or set another "
			"path",
			setting, folder, folder);
	if (error != 0)
		return plan_refuse(planner, PLAN_EXIT_RESOURCE,
			"%s: no file can be made in %.150s (%s): change its owner or mode, or set "
			"another path",
			setting, folder, strerror(-error));
	return 0;
}

static int
plan_private_folder(struct planner *planner)
{
	const char *folder = planner->options->private_folder;
	char why[FOLDER_WHY_SIZE];
	int error;

	if (folder[0] == '\0')
		return 0;
	error = folder_check_private(folder, why);
	if (error != 0 && error != -ENOENT)
		return plan_refuse(planner, PLAN_EXIT_RESOURCE, "%s", why);
	return add_folder(planner, folder, true);
}

int
plan_folders(struct planner *planner)
{
	const struct options *options = planner->options;
	const struct output_options *output = options->outputs.item;
	const struct port_options *port = options->ports.item;
	int error = plan_private_folder(planner);

	if (error == 0)
		error = plan_path(planner, "dogstatsd_socket", options->dogstatsd_socket);
	if (error == 0)
		error = plan_path(planner, "dogstatsd_stream_socket",
			options->dogstatsd_stream_socket);
	if (error == 0)
		error = plan_path(planner, "penstock: admin: socket", options->admin_socket);
	for (size_t i = 0; error == 0 && i < options->outputs.n; i++)
		error = plan_path(planner, "path of an output", output[i].path);
	for (size_t i = 0; error == 0 && i < options->ports.n; i++) {
		char socket[PATH_MAX];

		hardware_argument(port[i].device, "socket", socket, sizeof(socket));
		if (strstr(port[i].device, "socket-abstract=no") != NULL)
			error = plan_path(planner, "socket of a port's device", socket);
	}
	return error;
}

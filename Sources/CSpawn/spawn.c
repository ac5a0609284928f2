// One way for glibc and Darwin, which spell their extensions differently; musl has no way to leave all other descriptors
// out but to mark each of them as ours when it is opened.

#define _GNU_SOURCE

#include "CSpawn.h"
#include <signal.h>
#include <spawn.h>

#ifdef __APPLE__
enum { othersStayOurs = POSIX_SPAWN_CLOEXEC_DEFAULT };
#else
enum { othersStayOurs = 0 };
#endif

static int set_actions(posix_spawn_file_actions_t *actions, const char *folder, const int descriptors[3]) {
  int error = 0;
  if (folder) error = posix_spawn_file_actions_addchdir_np(actions, folder);
  for (int place = 0; place < 3 && !error; place++)
    error = posix_spawn_file_actions_adddup2(actions, descriptors[place], place);
#ifdef __GLIBC__
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, 3);
#endif
  return error;
}

static int set_attributes(posix_spawnattr_t *attributes) {
  int error = posix_spawnattr_setflags(
      attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | othersStayOurs);
  if (!error) error = posix_spawnattr_setpgroup(attributes, 0);
  // Threads of a pool have most signals blocked, and a program inherits that: libFuzzer would get neither its alarm for
  // inputs that hang, nor the word to end.
  sigset_t signals;
  sigemptyset(&signals);
  if (!error) error = posix_spawnattr_setsigmask(attributes, &signals);
  // It inherits too what we ignore, or what a shell let us ignore that started us in the background.
  const int ignored[] = {SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ};
  for (int place = 0; place < 4; place++) sigaddset(&signals, ignored[place]);
  if (!error) error = posix_spawnattr_setsigdefault(attributes, &signals);
  return error;
}

int cspawn_start(pid_t *id, const char *path, char *const words[], char *const environment[], const char *folder,
                 const int descriptors[3]) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    error = set_actions(&actions, folder, descriptors);
    if (!error) error = set_attributes(&attributes);
    if (!error) error = posix_spawn(id, path, &actions, &attributes, words, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// A program started with three descriptors and no others, no signal blocked, the leader of a process group of its own. In
// C because what does that without a gap are extensions that Swift's view of the C library leaves out.

#ifndef CSPAWN_H
#define CSPAWN_H

#include <sys/types.h>

/// Starts the program at `path`.
///
/// - Parameters:
///   - id: gets its process ID, which is its group's too.
///   - words: its name and arguments, then a null pointer; `environment` likewise.
///   - folder: where it works; ours if it is null.
///   - descriptors: three of ours that it gets as 0, 1 and 2.
/// - Returns: 0, or the number of the error.
int cspawn_start(pid_t *id, const char *path, char *const words[], char *const environment[], const char *folder,
                 const int descriptors[3]);

#endif

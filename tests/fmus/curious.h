/* What an FMU can do to a machine that has nothing to do with its model: it tells what worked. */
#ifndef ERGON_TESTS_FMUS_CURIOUS_H
#define ERGON_TESTS_FMUS_CURIOUS_H

#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int kit_can_open(const char* path, int flags) {
  const int file = open(path, flags, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

/* "read yes, write no, network no, resources yes": a file of the system, a file beside itself, a socket, its own folder. */
static void kit_look_around(const char* resources, char* said, size_t size) {
  char path[512];
  if (strncmp(resources, "file://", 7) == 0) resources += 7;
  const int reads = kit_can_open("/etc/passwd", O_RDONLY);
  snprintf(path, sizeof path, "%s/written.txt", resources);
  const int writes =
      kit_can_open(path, O_WRONLY | O_CREAT) || kit_can_open("written.txt", O_WRONLY | O_CREAT);
  snprintf(path, sizeof path, "%s/note.txt", resources);
  const int own = kit_can_open(path, O_RDONLY);
  const int tcp = socket(AF_INET, SOCK_STREAM, 0);
  const int udp = socket(AF_INET, SOCK_DGRAM, 0);
  snprintf(said, size, "read %s, write %s, network %s, resources %s", reads ? "yes" : "no",
           writes ? "yes" : "no", tcp >= 0 || udp >= 0 ? "yes" : "no", own ? "yes" : "no");
  if (tcp >= 0) close(tcp);
  if (udp >= 0) close(udp);
}

#endif

/** The first socket that a supervisor passes: sd_listen_fds(3). */
const firstSocket = 3;

/**
 * The listening socket that this process was started with, as systemd's socket units do; undefined if there is none,
 * or if the variables were meant for a parent of this process.
 */
export const inheritedSocket = (
  { listenSockets, listenPid }: { listenSockets: number; listenPid: number },
  pid = process.pid,
): number | undefined => (listenSockets > 0 && listenPid === pid ? firstSocket : undefined);

import { integer } from './kinds.ts';

/** A listening socket passed by a supervisor: sd_listen_fds(3). */
export const socketVariables = {
  listenSockets: integer('LISTEN_FDS', {
    fallback: 0,
    min: 0,
    max: 1_000,
    meaning:
      'Set by systemd: how many sockets it hands on. The first is listened on in place of HOST and PORT.',
  }),
  listenPid: integer('LISTEN_PID', {
    fallback: 0,
    min: 0,
    max: 2 ** 32,
    meaning: 'Set by systemd: the process that they are for.',
  }),
};

import { lookup } from 'node:dns';
import type { ConnectionBound } from '../client/waiting-line.ts';
import type { ConnectGuard } from '../guard.ts';

/** The error that the guard of tests throws. */
class ForbiddenPlace extends Error {
  constructor(host: string) {
    super(`the address of ${host} is not allowed`);
    this.name = 'ForbiddenPlace';
  }
}

/**
 * A guard for tests: operators may connect to any address, the public to none, because tests only have this machine.
 */
export const localGuard: ConnectGuard = {
  connection({ host, port }, scope) {
    if (scope === 'public') throw new ForbiddenPlace(host);
    return { host, port, lookup };
  },
};

/** More connections than are opened by tests of other subjects. */
export const wideBound: ConnectionBound = { connections: 4096, waitMs: 2_000 };

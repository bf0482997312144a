/** The other side said something that is not HTTP/1.1, or more of it than is sane. */
export class BadAnswer extends Error {
  constructor(what: string) {
    super(`the answer is not HTTP/1.1: ${what}`);
    this.name = 'BadAnswer';
  }
}

/** The connection ended before the answer did. */
export class ConnectionLost extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ConnectionLost';
  }
}

/** The other side took longer than it was given. */
export class TimedOut extends Error {
  constructor(what: string) {
    super(`timeout: ${what}`);
    this.name = 'TimedOut';
  }
}

/** There are as many connections to the place as there may be, and none became free in time. Nothing was sent. */
export class NoFreeConnection extends Error {
  constructor() {
    super('no free connection to the other side');
    this.name = 'NoFreeConnection';
  }
}

/** The server sent something that is not HTTP/1.1, or exceeds a bound. */
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

/** A timeout was exceeded. */
export class TimedOut extends Error {
  constructor(what: string) {
    super(`timeout: ${what}`);
    this.name = 'TimedOut';
  }
}

/** All allowed connections to the endpoint are in use, and none became free in time. Nothing was sent. */
export class NoFreeConnection extends Error {
  constructor() {
    super('no free connection to the other side');
    this.name = 'NoFreeConnection';
  }
}

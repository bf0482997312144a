import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a caller may continue to send an unwanted body while reading the answer. */
const lingerMs = 5_000;
/** Most bytes of a body that are read and discarded to keep its connection. */
const smallBytes = 64 * 1024;

/**
 * Prepares an answer to a request whose body was not read to its end, if it is long or of unknown length: the
 * connection ends with the answer, which says so. If a socket is closed while bytes still arrive it is reset, and the
 * answer may be lost; so these bytes are discarded until the caller is done, or for a while.
 */
export function closeAfterAnswer(req: IncomingMessage, res: ServerResponse): void {
  if (req.complete || res.headersSent) return;
  const length = req.headers['content-length'];
  const isSmall = length !== undefined && Number(length) <= smallBytes;
  if (isSmall && req.headers.expect === undefined) return;
  res.setHeader('connection', 'close');
  req.unpipe();
  req.resume();
  const { socket } = req;
  // Node calls this after the last answer of a connection.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
}

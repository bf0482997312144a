import type { IncomingMessage, ServerResponse } from 'node:http';

/** So long a caller may go on sending what nobody wants, to read the answer meanwhile. */
const lingerMs = 5_000;
/** As much of a body is read over for the sake of its connection. */
const smallBytes = 64 * 1024;

/**
 * Prepares an answer to a request whose body was not read to its end, as far as it is long or of unknown length: the
 * connection ends with it, and says so. A socket that is closed while bytes still come is reset, and the answer may be
 * lost on its way; so what comes is thrown away until the caller is done, or for a while.
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
  // Node calls this behind the last answer of a connection.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
}

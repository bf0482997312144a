import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';

/** The usage that the fake reports: every class of tokens of the API. */
const realtimeUsage = {
  total_tokens: 350,
  input_tokens: 200,
  output_tokens: 150,
  input_token_details: {
    text_tokens: 120,
    audio_tokens: 80,
    cached_tokens: 64,
    cached_tokens_details: { text_tokens: 40, audio_tokens: 24 },
  },
  output_token_details: { text_tokens: 50, audio_tokens: 100 },
};

/** Script of the answer to a `response.create`. */
interface RealtimeScript {
  /** Words of the transcript, one event for each. */
  words: number;
  /** Bytes of sound in each of the same number of events; 0 for an answer in text only. */
  soundBytes: number;
  paceMs: number;
  /** Null omits the usage. */
  usage: object | null;
  status: string;
  /** Ending after this number of words, in place of the rest. */
  after?: { words: number; end: 'cut' | 'silence' | 'error-and-close' | 'close' };
  /** Answers the handshake with this status and an error object. */
  refuse?: number;
  /** Sends a frame of this many bytes after the first word. */
  hugeFrame?: number;
  /** Sends a transcription of the caller's speech, with this usage. */
  transcription?: object;
  /** Overrides of the script, read from a `response.create`. */
  answerTo?: (event: object) => Partial<RealtimeScript>;
}

const usual: RealtimeScript = {
  words: 3,
  soundBytes: 4_800,
  paceMs: 0,
  usage: realtimeUsage,
  status: 'completed',
};

/** A received handshake. */
interface RecordedHandshake {
  path: string;
  headers: IncomingMessage['headers'];
  protocols: string[];
}

/** One session as seen by the upstream. */
interface RecordedSession {
  handshake: RecordedHandshake;
  /** Frames of the caller; text frames as strings. */
  frames: (string | Buffer)[];
  /** Resolves with the code when the gateway's socket is closed. */
  closed: Promise<number>;
  send(event: object): void;
  /** Bytes that the gateway has not read yet. */
  waitingBytes(): number;
  /** Closes the session from the upstream's side. */
  close(code: number, reason: string): void;
}

/** A realtime server controlled by the test. */
export interface FakeRealtime {
  url: string;
  sessions: RecordedSession[];
  handshakes: RecordedHandshake[];
  /** Changes the script from now on. */
  script(changes?: Partial<RealtimeScript>): void;
  close(): Promise<void>;
}

const protocolsOf = (req: IncomingMessage): string[] =>
  (req.headers['sec-websocket-protocol'] ?? '').split(',').flatMap((each) => each.trim() || []);

/** Starts a realtime server with OpenAI's protocol, on a real socket. */
export async function startFakeRealtime(): Promise<FakeRealtime> {
  let script = usual;
  const sessions: RecordedSession[] = [];
  const handshakes: RecordedHandshake[] = [];
  const server = createServer();
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has('realtime') ? 'realtime' : false),
  });
  server.on('upgrade', (req, socket, head) => {
    const handshake = { path: req.url ?? '', headers: req.headers, protocols: protocolsOf(req) };
    handshakes.push(handshake);
    if (script.refuse !== undefined) {
      const body = JSON.stringify({
        error: { message: 'no sockets today', type: 'server_error', code: 'refused' },
      });
      const head = `HTTP/1.1 ${script.refuse} No\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
      return void socket.end(head + body);
    }
    sockets.handleUpgrade(req, socket, head, (ws) => {
      sessions.push(serveSession(ws, handshake, () => script));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sessions,
    handshakes,
    script(changes) {
      script = { ...usual, ...changes };
    },
    async close() {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function serveSession(
  ws: WebSocket,
  handshake: RecordedHandshake,
  script: () => RealtimeScript,
): RecordedSession {
  const session: RecordedSession = {
    handshake,
    frames: [],
    closed: new Promise((resolve) => {
      ws.on('close', (code) => resolve(code));
    }),
    send(event) {
      if (ws.readyState === ws.OPEN) ws.send(JSON.stringify(event));
    },
    waitingBytes: () => ws.bufferedAmount,
    close: (code, reason) => ws.close(code, reason),
  };
  ws.on('error', () => undefined);
  session.send({
    type: 'session.created',
    event_id: 'event_0',
    session: { id: 'sess_1', object: 'realtime.session' },
  });
  let answers = 0;
  let transcripts = 0;
  ws.on('message', (data: Buffer, isBinary) => {
    session.frames.push(isBinary ? data : data.toString());
    if (isBinary) return ws.send(data, { binary: true });
    const event = JSON.parse(data.toString()) as { type: string; session?: object };
    if (event.type === 'session.update') session.send({ type: 'session.updated', session: event.session });
    if (event.type === 'input_audio_buffer.commit')
      transcribe(session, script(), `item_${(transcripts += 1)}`);
    if (event.type !== 'response.create') return;
    answers += 1;
    const now = script();
    void answer(ws, session, { ...now, ...now.answerTo?.(event) }, `resp_${answers}`);
  });
  return session;
}

function transcribe(session: RecordedSession, { transcription }: RealtimeScript, itemId: string): void {
  session.send({
    type: 'conversation.item.input_audio_transcription.completed',
    item_id: itemId,
    content_index: 0,
    transcript: 'what was said',
    ...(transcription && { usage: transcription }),
  });
}

async function answer(
  ws: WebSocket,
  session: RecordedSession,
  script: RealtimeScript,
  id: string,
): Promise<void> {
  const { words, soundBytes, paceMs, usage, status, after } = script;
  session.send({ type: 'response.created', response: { id, status: 'in_progress', usage: null } });
  for (let word = 0; word < words; word += 1) {
    if (after?.words === word) return leave(ws, session, after.end);
    if (paceMs > 0) await sleep(paceMs);
    const place = { response_id: id, item_id: 'item_2', output_index: 0, content_index: 0 };
    const isSpoken = soundBytes > 0;
    const type = isSpoken ? 'response.output_audio_transcript.delta' : 'response.output_text.delta';
    session.send({ type, ...place, delta: `word${word} ` });
    const delta = Buffer.alloc(soundBytes).toString('base64');
    if (isSpoken) session.send({ type: 'response.output_audio.delta', ...place, delta });
    if (script.hugeFrame !== undefined) session.send({ type: 'huge', padding: 'x'.repeat(script.hugeFrame) });
  }
  const response = { id, object: 'realtime.response', status, output: [], ...(usage && { usage }) };
  session.send({ type: 'response.done', event_id: `event_${id}`, response });
}

function leave(
  ws: WebSocket,
  session: RecordedSession,
  how: NonNullable<RealtimeScript['after']>['end'],
): void {
  if (how === 'cut') return ws.terminate();
  if (how === 'close') return ws.close(1000, 'enough');
  if (how === 'silence') return;
  session.send({
    type: 'error',
    error: { type: 'server_error', code: 'session_broken', message: 'it broke' },
  });
  ws.close(1011, 'broken');
}

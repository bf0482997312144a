import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as received by a collector. */
export interface ReceivedSpan {
  name: string;
  /** 2 for a server span, 3 for a client span. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  start: bigint;
  end: bigint;
  attributes: Record<string, unknown>;
  events: { name: string; attributes: Record<string, unknown> }[];
  /** 2 for an error. */
  status: number;
  /** Attributes of the process that created it. */
  resource: Record<string, unknown>;
}

/** A collector of traces over OTLP/HTTP. */
export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** The headers of the last export. */
  headers: IncomingHttpHeaders;
  /** Answers to the next exports; 200 when it is empty. `hang` answers nothing. */
  answers: (number | 'hang')[];
  exports: number;
  close(): Promise<void>;
}

/** Starts a collector that reads both encodings of OTLP/HTTP. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      receiver.exports += 1;
      receiver.headers = req.headers;
      const answer = receiver.answers.shift() ?? 200;
      if (answer === 'hang') return;
      const isPath = req.method === 'POST' && req.url === '/v1/traces';
      if (isPath && answer === 200) receiver.spans.push(...spansIn(req.headers, Buffer.concat(chunks)));
      res.writeHead(isPath ? answer : 404).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    headers: {},
    answers: [],
    exports: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}

function spansIn(headers: IncomingHttpHeaders, body: Buffer): ReceivedSpan[] {
  if (headers['content-type'] === 'application/json') return ofJson(JSON.parse(body.toString()) as Exported);
  if (headers['content-type'] === 'application/x-protobuf') return ofProtobuf(body);
  throw new Error(`no encoding of OTLP: ${headers['content-type']}`);
}

interface Value {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: Value[] };
}
type Pairs = { key: string; value: Value }[];
interface Exported {
  resourceSpans: {
    resource: { attributes: Pairs };
    scopeSpans: {
      spans: {
        name: string;
        kind: number;
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        attributes: Pairs;
        events: { name: string; attributes: Pairs }[];
        status: { code?: number };
      }[];
    }[];
  }[];
}

const plain = ({ stringValue, intValue, doubleValue, boolValue, arrayValue }: Value): unknown =>
  stringValue ??
  (intValue === undefined ? undefined : Number(intValue)) ??
  doubleValue ??
  boolValue ??
  arrayValue?.values.map(plain);

const record = (pairs: Pairs): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]));

const ofJson = ({ resourceSpans }: Exported): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        attributes: record(span.attributes),
        events: span.events.map(({ name, attributes }) => ({ name, attributes: record(attributes) })),
        status: span.status.code ?? 0,
        resource: record(resource.attributes),
      })),
    ),
  );

type Field = bigint | Buffer;

/** The fields of a protobuf message by their numbers (opentelemetry/proto/trace/v1/trace.proto). */
function fieldsOf(message: Buffer): Map<number, Field[]> {
  const fields = new Map<number, Field[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = Number(varint());
    let value: Field;
    if ((tag & 7) === 0) value = varint();
    else {
      const length = (tag & 7) === 1 ? 8 : (tag & 7) === 5 ? 4 : Number(varint());
      value = message.subarray(at, (at += length));
    }
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

const within = (message: Field, ...path: number[]): Buffer[] =>
  path.reduce(
    (found, number) => found.flatMap((each) => (fieldsOf(each).get(number) ?? []) as Buffer[]),
    [message as Buffer],
  );

function valueOf(message: Buffer): unknown {
  for (const [number, [field]] of fieldsOf(message)) {
    if (number === 1) return String(field);
    if (number === 2) return field === 1n;
    if (number === 3) return Number(field);
    if (number === 4) return (field as Buffer).readDoubleLE();
    if (number === 5) return within(field!, 1).map(valueOf);
  }
  return undefined;
}

const recordOf = (pairs: Buffer[]): Record<string, unknown> =>
  Object.fromEntries(
    pairs.map((pair) => [String(within(pair, 1)[0]), valueOf(within(pair, 2)[0] ?? Buffer.alloc(0))]),
  );

const ofProtobuf = (body: Buffer): ReceivedSpan[] =>
  within(body, 1).flatMap((group) => {
    const resource = recordOf(within(group, 1, 1));
    return within(group, 2, 2).map((span) => {
      const fields = fieldsOf(span);
      const bytes = (number: number): Buffer => (fields.get(number)?.[0] ?? Buffer.alloc(0)) as Buffer;
      return {
        name: bytes(5).toString(),
        kind: Number(fields.get(6)?.[0] ?? 0),
        traceId: bytes(1).toString('hex'),
        spanId: bytes(2).toString('hex'),
        parentSpanId: bytes(4).toString('hex'),
        start: bytes(7).readBigUInt64LE(),
        end: bytes(8).readBigUInt64LE(),
        attributes: recordOf(within(span, 9)),
        events: within(span, 11).map((event) => ({
          name: String(within(event, 2)[0]),
          attributes: recordOf(within(event, 3)),
        })),
        status: Number(fieldsOf(bytes(15)).get(3)?.[0] ?? 0),
        resource,
      };
    });
  });

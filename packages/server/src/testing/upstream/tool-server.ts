import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  isInitializeRequest,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { randomText } from '../../lib/random.ts';

/** How a test's tool server behaves. */
export interface ToolServerOptions {
  name?: string;
  /** True for a server that keeps a session for each client. */
  hasSessions?: boolean;
  /** Answers this status to everything; may be changed. */
  refuses?: number | undefined;
}

/** A tool server of the official SDK on a real port. */
export interface TestToolServer {
  url: string;
  options: ToolServerOptions;
  /** Calls of tools that began: names and arguments. */
  calls: { name: string; arguments: Record<string, unknown>; session: string | undefined }[];
  /** Headers of the calls of tools. */
  headers: IncomingHttpHeaders[];
  /** Methods of all messages, in order. */
  messages: string[];
  /** Calls whose client cancelled them. */
  cancelled: string[];
  close(): Promise<void>;
}

const object = { type: 'object' as const };
const tools = [
  {
    name: 'add',
    title: 'Addition',
    description: 'Adds two numbers',
    inputSchema: { ...object, properties: { a: { type: 'number' }, b: { type: 'number' } } },
  },
  { name: 'metered', description: 'Reports its cost', inputSchema: object },
  { name: 'fails', description: 'Answers an error of the tool', inputSchema: object },
  { name: 'refuses', description: 'Answers an error of the protocol', inputSchema: object },
  { name: 'slow', description: 'Reports progress, and ends when it is released', inputSchema: object },
  { name: 'breaks', description: 'Closes the connection', inputSchema: object },
  { name: 'leaks', description: 'Answers the key of its caller', inputSchema: object },
  { name: 'odd name/with.signs', description: 'Has a name that clients do not take', inputSchema: object },
];

const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });

/** Starts a tool server; `slow` runs until `release` is emitted, or is cancelled. */
export async function startToolServer(options: ToolServerOptions = {}): Promise<TestToolServer> {
  const state: Omit<TestToolServer, 'url' | 'close'> = {
    options,
    calls: [],
    headers: [],
    messages: [],
    cancelled: [],
  };
  const sessions = new Map<string, StreamableHTTPServerTransport>();

  const makeServer = (breakOff: () => void, key: string): Server => {
    const server = new Server(
      { name: options.name ?? 'weather', version: '1' },
      { capabilities: { tools: {} } },
    );
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
      const { name, arguments: given = {}, _meta: meta } = params;
      state.calls.push({ name, arguments: given, session: extra.sessionId });
      switch (name) {
        case 'add':
          return {
            ...text(String(Number(given['a']) + Number(given['b']))),
            structuredContent: { sum: Number(given['a']) + Number(given['b']) },
          };
        case 'metered':
          return { ...text('done'), _meta: { cost: given['cost'] } };
        case 'fails':
          return { ...text('no such place'), isError: true };
        case 'refuses':
          throw new McpError(ErrorCode.InvalidParams, 'the city is missing', { field: 'city' });
        case 'breaks':
          breakOff();
          return text('lost');
        case 'leaks':
          return text(`your key is ${key}`);
        case 'slow': {
          extra.signal.addEventListener('abort', () => state.cancelled.push(name));
          const steps = Number(given['steps'] ?? 3);
          for (let step = 1; step <= steps && !extra.signal.aborted; step += 1) {
            if (meta?.progressToken !== undefined)
              await extra.sendNotification({
                method: 'notifications/progress',
                params: {
                  progressToken: meta.progressToken,
                  progress: step,
                  total: steps,
                  message: `step ${step}`,
                },
              });
            await sleep(Number(given['ms'] ?? 20));
          }
          return text('slow but there');
        }
        default:
          return text(name);
      }
    });
    return server;
  };

  const http = createServer((req, res) => {
    void (async () => {
      if (options.refuses !== undefined)
        return res.writeHead(options.refuses).end('{"error":{"message":"not today"}}');
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      const body: unknown = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
      const method = (body as { method?: string } | undefined)?.method ?? req.method!;
      state.messages.push(method);
      if (method === 'tools/call') state.headers.push(req.headers);
      const known = sessions.get(String(req.headers['mcp-session-id']));
      let transport = known;
      if (!transport) {
        if (options.hasSessions && !isInitializeRequest(body)) return res.writeHead(404).end();
        transport = new StreamableHTTPServerTransport({
          ...(options.hasSessions && { sessionIdGenerator: () => randomText(16) }),
          onsessioninitialized: (id) => void sessions.set(id, transport!),
          onsessionclosed: (id) => void sessions.delete(id),
        });
        await makeServer(
          () => req.socket.destroy(),
          String(req.headers.authorization).slice('Bearer '.length),
        ).connect(transport);
      }
      await transport.handleRequest(req, res, body);
    })().catch(() => res.destroy());
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    ...state,
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

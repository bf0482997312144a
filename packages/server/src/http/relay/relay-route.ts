import type { IncomingHttpHeaders } from 'node:http';
import type { Inbound, ProtocolId } from '../../relay/types/index.ts';
import { callerProtocol } from '../../relay/protocols.ts';

/** The kinds of relay paths. */
type RelayKind =
  /** A call that is sent to a channel. */
  | 'relay'
  | 'models'
  | 'model'
  /** Counts the tokens of a request, without a charge. */
  | 'count-tokens'
  /** A call about a response that its vendor stores. */
  | 'stored-response'
  /** A call about a conversation, which its vendor or the gateway keeps. */
  | 'conversation'
  /** A call about files that a vendor keeps for its caller. */
  | 'file'
  /** Calls of vendors that Tollgate does not offer: 501. */
  | 'not-implemented'
  /** A call about containers in which a vendor runs code for its caller. */
  | 'container'
  /** A call about content that a vendor caches for its caller. */
  | 'cache'
  /** Makes a secret for realtime sessions. */
  | 'session-secret'
  /** A WebSocket: opened by an upgrade, refused for a plain GET. */
  | 'realtime'
  /** A call about tasks; `task` has its kind. */
  | 'task'
  /** Figures that a key may read; `figures` is the format. */
  | 'figures'
  /** Cost of a call; the body is that of the call. */
  | 'quote'
  /** Makes a key for a run. */
  | 'make-key'
  /** Ends a run with its key. */
  | 'end-key'
  /** Holds an amount for something that an application sells. */
  | 'hold'
  /** Charges or returns such a hold. An exhausted or expired key may do that. */
  | 'settle-hold'
  | 'release-hold'
  /** A message of the Model Context Protocol: lists and calls tools. */
  | 'tools';

/**
 * Access: the owner of a token, a logged-in user of the console (playground), the same by an element of a page without
 * headers, or everybody with the unguessable address of an image.
 */
type RelayAccess = 'key' | 'session' | 'element' | 'public';

/** The kinds of calls about tasks. */
export type TaskCallName =
  | 'mj-submit'
  | 'mj-fetch'
  | 'mj-list'
  | 'mj-seed'
  | 'mj-notify'
  | 'mj-image'
  | 'suno-submit'
  | 'suno-fetch'
  | 'suno-list'
  | 'video-create'
  | 'video-price'
  | 'video-list'
  | 'video-read'
  | 'video-delete'
  | 'video-content'
  | 'video-watch'
  | 'video-remix'
  | 'generation-create'
  | 'generation-read'
  | 'kling-create'
  | 'kling-read'
  | 'jimeng'
  | 'veo-create'
  | 'veo-read'
  | 'veo-fetch'
  | 'batch-create'
  | 'message-batch-create'
  | 'google-batch-create'
  | 'batch-list'
  | 'batch-read'
  | 'batch-cancel'
  | 'batch-delete'
  | 'batch-results';

/** Formats in which tools read the balance, limits and usage of their key. */
export type FiguresFormat =
  | 'openai-subscription'
  | 'openai-usage'
  | 'openai-credits'
  | 'openai-costs'
  | 'openai-completions'
  | 'new-api-token'
  | 'openrouter-key'
  | 'openrouter-credits'
  | 'litellm-key'
  | 'litellm-user'
  | 'litellm-activity';

/** A path of the relay: its permitted callers, its protocol, and the form of its body. */
export interface RelayRoute {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Exact path, or with `{name}` slots. */
  path: string;
  access: RelayAccess;
  kind: RelayKind;
  /** The caller's protocol; errors are written in it. */
  inbound: Inbound;
  /** Chooses the protocol by the caller's headers: the lists of models have one path for several. */
  inboundFor?(headers: IncomingHttpHeaders): Inbound;
  /** The model if the body has none (docs/compatibility.md#channel-selection). */
  defaultModel?: string;
  /** Set if the body may or must be a form; `sound` is the file with the measured length. */
  form?: { required: boolean; sound?: string };
  /** Set if the path, and not the body, has the model and whether the answer is streamed. */
  fromPath?: { stream: boolean };
  /** Set if the kind is `figures`. An exhausted or expired key may read them. */
  figures?: FiguresFormat;
  /** Set if the kind is `task`. */
  task?: TaskCallName;
  /** A member of the body that may contain the whole call (Gemini's count). */
  wrapper?: string;
  /** The path at upstreams, if it differs from the caller's. */
  upstreamPath?: string;
}

const submittingTasks: ReadonlySet<TaskCallName> = new Set([
  'mj-submit',
  'suno-submit',
  'video-create',
  'video-remix',
  'generation-create',
  'kling-create',
  'veo-create',
  'batch-create',
  'message-batch-create',
  'google-batch-create',
]);

/** True for a call that begins a task, and so costs something. */
export const submitsTask = ({ task }: Pick<RelayRoute, 'task'>): boolean =>
  task !== undefined && submittingTasks.has(task);

/** A route, and the values of its path's slots. */
export interface MatchedRoute {
  route: RelayRoute;
  /** Values of the path's slots. */
  slots: Record<string, string>;
}

/** The callers' protocols that routes are declared with. */
export interface RouteProtocols {
  messages: Inbound;
  chat: Inbound;
  responses: Inbound;
  compact: Inbound;
  gemini: Inbound;
  geminiEmbeddings: Inbound;
  geminiPredict: Inbound;
  completions: Inbound;
  embeddings: Inbound;
  moderations: Inbound;
  rerank: Inbound;
  images: Inbound;
  audio: Inbound;
}

function requireInbound(id: ProtocolId): Inbound {
  const inbound = callerProtocol(id)?.inbound;
  if (!inbound) throw new Error(`callers cannot speak the protocol ${id}`);
  return inbound;
}

/** The callers' protocols that routes are declared with, from the registry. */
export const routeProtocols = (): RouteProtocols => ({
  chat: requireInbound('openai-chat'),
  messages: requireInbound('anthropic-messages'),
  responses: requireInbound('openai-responses'),
  compact: requireInbound('openai-compact'),
  gemini: requireInbound('gemini'),
  geminiEmbeddings: requireInbound('gemini-embeddings'),
  geminiPredict: requireInbound('gemini-predict'),
  completions: requireInbound('openai-completions'),
  embeddings: requireInbound('openai-embeddings'),
  moderations: requireInbound('openai-moderations'),
  rerank: requireInbound('cohere-rerank'),
  images: requireInbound('openai-images'),
  audio: requireInbound('openai-audio'),
});

import type { IncomingHttpHeaders } from 'node:http';
import type { Inbound } from '../../relay/types/index.ts';

/** What a relay path is for. */
export type RelayKind =
  /** A call that is carried to a channel. */
  | 'relay'
  | 'models'
  | 'model'
  /** Counts the tokens of a request here, without a call to a vendor and without a charge. */
  | 'count-tokens'
  /** Calls that vendors have and Tollgate does not offer: 501. */
  | 'not-implemented'
  /** A socket: opened by an upgrade, refused to a plain GET. */
  | 'realtime'
  /** Something about tasks; `task` says what. */
  | 'task'
  | 'billing-subscription'
  | 'billing-usage';

/**
 * Who may call: the owner of a token, a logged-in user of the console (playground), the same by an element of a page,
 * which sends no header of its own, or anybody who knows the address of a picture, which nobody guesses.
 */
export type RelayAccess = 'key' | 'session' | 'element' | 'public';

/** What is done about tasks. */
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
  | 'veo-fetch';

/** A path of the relay: who may call it, in which protocol, and what its body is. */
export interface RelayRoute {
  method: 'GET' | 'POST' | 'DELETE';
  /** Exact path, or with `{name}` slots. */
  path: string;
  access: RelayAccess;
  kind: RelayKind;
  /** The protocol the caller speaks here; errors are written in it. */
  inbound: Inbound;
  /** The protocol where the caller's headers tell it: the lists of models have one path for several. */
  inboundFor?(headers: IncomingHttpHeaders): Inbound;
  /** The model when the body names none (docs/compatibility.md#channel-selection). */
  defaultModel?: string;
  /** Set where the body may be a form, or must be one; `sound` is the file whose length is measured. */
  form?: { required: boolean; sound?: string };
  /** Set where the path, and not the body, names the model and says whether the answer is streamed. */
  fromPath?: { stream: boolean };
  /** Set where the kind is `task`. */
  task?: TaskCallName;
  /** A member of the body in which the call may stand as a whole (Gemini's count). */
  wrapper?: string;
  /** The path towards upstreams, where it is another than the caller's. */
  upstreamPath?: string;
}

/** A route, and what stands in the slots of its path. */
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
  gemini: Inbound;
  geminiEmbeddings: Inbound;
  completions: Inbound;
  embeddings: Inbound;
  moderations: Inbound;
  rerank: Inbound;
  images: Inbound;
  audio: Inbound;
}

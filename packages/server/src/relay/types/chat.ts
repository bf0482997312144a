import type { Usage } from '@tollgate/contract';
import type { Json, JsonObject } from '../../lib/json.ts';
import type { HostedCall, HostedKind, SearchTerms, ToolServer } from './hosted.ts';
import type { ProtocolId } from './protocol-id.ts';
import type { RelayError } from './relay-error.ts';

/**
 * The neutral words of a conversation: what every chat protocol can say, in one form. A protocol reads its own wire
 * into these words and writes them out again, so that n protocols need n + n translations and not n × n.
 * What only one protocol knows stays in `extra`, under that protocol's name, and is given back to it alone.
 */
export interface ChatRequest {
  model: string;
  /**
   * In order. Instructions that a protocol keeps apart (Messages `system`, Gemini systemInstruction) are messages here.
   */
  messages: Message[];
  tools: Tool[];
  toolChoice: ToolChoice | undefined;
  /** False forbids more than one tool call in a turn; undefined leaves it to the vendor. */
  parallelToolCalls: boolean | undefined;
  responseFormat: ResponseFormat | undefined;
  reasoning: ReasoningRequest | undefined;
  sampling: Sampling;
  /** Bound on output tokens, reasoning included. */
  maxOutputTokens: number | undefined;
  stop: string[];
  /** Answers wanted (`n`); protocols without it get one. */
  choices: number;
  stream: boolean;
  /** The caller's name for its end user. */
  user: string | undefined;
  metadata: Record<string, string> | undefined;
  serviceTier: string | undefined;
  /** Fields that only the caller's own protocol knows. */
  extra: Extra | undefined;
}

/** What a protocol said beyond the neutral words. Written back only by the same protocol. */
export interface Extra {
  protocol: ProtocolId;
  fields: JsonObject;
  /**
   * Names of those fields without which the request would mean something else (a stored conversation, a tool that the
   * caller runs): another protocol refuses them, where it drops all others by the tables of docs/protocols.
   */
  essential?: readonly string[];
}

/** A file fetched through the guarded client, for protocols and providers that do not take addresses. */
export interface FetchedFile {
  mediaType: string;
  base64: string;
}

/** What one side said at one point of a conversation. `name` tells several speakers of one role apart. */
export interface Message {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  parts: Part[];
  name?: string;
  extra?: Extra;
}

/** Where the bytes of an image, file or sound are. */
export type Source =
  | { kind: 'url'; url: string }
  | { kind: 'data'; mediaType: string; base64: string }
  /** A file that the vendor of protocol `owner` keeps; means nothing to another vendor, who must refuse it. */
  | { kind: 'id'; id: string; owner: ProtocolId };

/** One piece of a message. */
export type Part =
  /** `citations` are the sources that an earlier answer named for this text. */
  | { type: 'text'; text: string; citations?: Citation[]; extra?: Extra }
  | { type: 'image'; source: Source; detail?: string; extra?: Extra }
  | { type: 'audio'; source: Source; extra?: Extra }
  | { type: 'file'; source: Source; name?: string; extra?: Extra }
  /** Thoughts of an earlier turn; `signer` as in the event `reasoning-end`. */
  | {
      type: 'reasoning';
      text: string;
      signature?: string;
      redacted?: string;
      signer?: ProtocolId;
      extra?: Extra;
    }
  | { type: 'refusal'; text: string }
  /** `input` is JSON text exactly as the model wrote it, which may be torn or empty. */
  | { type: 'tool-call'; id: string; name: string; input: string; extra?: Extra }
  | { type: 'tool-result'; id: string; name?: string; parts: Part[]; isError: boolean; extra?: Extra }
  /**
   * Something only one protocol knows, in that protocol's words; `call` is what of it others have words for, or
   * `'follows'` where a later part tells of it together with what came of it.
   */
  | { type: 'other'; call?: HostedCall | 'follows'; extra: Extra };

/** A function the model may call, or a tool of the vendor's own. */
export type Tool =
  | {
      type: 'function';
      name: string;
      description?: string;
      schema: JsonObject;
      strict?: boolean;
      extra?: Extra;
    }
  | HostedTool;

/**
 * A tool of a vendor's own. conversation/hosted-tools.ts says where it is translated; it is never left out, unless it is
 * optional, and then by name.
 */
export interface HostedTool {
  type: 'vendor';
  kind: HostedKind;
  /** A search that a client offers beside tools of its own, in each of its calls and without asking for one. */
  isOptional?: true;
  /** What a choice of this tool calls it. */
  name: string;
  /** Options of a web search. */
  search?: SearchTerms;
  /** The server, where the tools are those of one. */
  server?: ToolServer;
  /** The tool in the caller's words. */
  extra: Extra;
}

/** Whether the model may, must or must not call a tool, or which one. */
export type ToolChoice = { type: 'auto' | 'none' | 'required' } | { type: 'tool'; name: string };

/** The form of the answer: words, any JSON, or JSON by a schema. */
export type ResponseFormat =
  | { type: 'text' | 'json' }
  | { type: 'schema'; name: string; schema: JsonObject; strict?: boolean; description?: string };

/** How much the model should think. One of the three, as the caller's protocol says it. */
export interface ReasoningRequest {
  effort?: string;
  budgetTokens?: number;
  /** False switches thinking off. */
  enabled?: boolean;
  /** Whether and how the thoughts are shown. */
  summary?: string;
}

/** How words are chosen; each as the caller said it, absent where nothing was said. */
export interface Sampling {
  temperature?: number;
  topP?: number;
  topK?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  seed?: number;
  logitBias?: JsonObject;
  logprobs?: boolean;
  topLogprobs?: number;
}

/** Why an answer ended: in our words, and as the vendor said it. */
export interface FinishReason {
  unified: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'other';
  raw: string;
  /** The stop sequence that was met, if the vendor reports it. */
  sequence?: string;
}

/** A source that the answer refers to. Positions are UTF-16 units in the text of the choice, where they are known. */
export interface Citation {
  url?: string;
  title?: string;
  citedText?: string;
  start?: number;
  end?: number;
}

/** Names one of several answers (`n`); 0 for the only one. */
interface OfChoice {
  choice: number;
}
/** Names a block within the answer: rises with each `-start`, the same in its `-delta` and `-end`. */
interface OfBlock extends OfChoice {
  block: number;
}

/**
 * An answer as it comes, streamed or whole. Balanced: each `-start` has its `-end`, deltas lie between them, `start`
 * comes first, `finish` once for each choice, nothing after `error`. Blocks of one choice do not overlap, except
 * tool inputs, which a vendor may fill in turns.
 */
export type ChatEvent =
  | {
      type: 'start';
      id: string;
      model: string;
      createdSeconds: number;
      serviceTier?: string;
      fingerprint?: string;
    }
  | ({ type: 'text-start' } & OfBlock)
  /** What its reader has added to the words of the model, to show what they are, costs no tokens. */
  | ({ type: 'text-delta'; text: string; logprobs?: Json; isAdded?: true } & OfBlock)
  | ({ type: 'text-end' } & OfBlock)
  | ({ type: 'refusal-start' } & OfBlock)
  | ({ type: 'refusal-delta'; text: string; logprobs?: Json } & OfBlock)
  | ({ type: 'refusal-end' } & OfBlock)
  | ({ type: 'reasoning-start' } & OfBlock)
  /** A report comes from the application around the model, so it costs no tokens. */
  | ({ type: 'reasoning-delta'; text: string; isReport?: true } & OfBlock)
  /**
   * The signature proves the thoughts to their vendor in a later turn; a redacted block has only `redacted`. `signer`
   * is the protocol of that vendor (see conversation/signature.ts): no other may be shown the signature as its own.
   */
  | ({ type: 'reasoning-end'; signature?: string; redacted?: string; signer?: ProtocolId } & OfBlock)
  | ({ type: 'tool-input-start'; id: string; name: string } & OfBlock)
  | ({ type: 'tool-input-delta'; text: string } & OfBlock)
  | ({ type: 'tool-input-end' } & OfBlock)
  /** A source or place that the answer refers to; `extra` has it in the vendor's words. */
  | ({ type: 'annotation'; citation: Citation; extra?: Extra } & OfChoice)
  /** A picture, sound or file made by the model; `audio` pieces may follow each other. */
  | ({ type: 'file'; source: Source; transcript?: string; extra?: Extra } & OfChoice)
  /**
   * A whole block that only one protocol knows (a search that the vendor ran), in that protocol's words; `call` is what
   * of it others have words for.
   */
  | ({ type: 'other'; call?: HostedCall; extra: Extra } & OfChoice)
  /** Partial until the output is reported: input and uses of tools so far. The last one counts. */
  | { type: 'usage'; usage: Usage; isPartial?: true }
  | ({ type: 'finish'; reason: FinishReason } & OfChoice)
  | { type: 'error'; error: RelayError };

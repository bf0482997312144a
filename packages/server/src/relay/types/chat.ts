import type { Usage } from '@tollgate/contract';
import type { Json, JsonObject } from '../../lib/json.ts';
import type { HostedCall, HostedKind, SearchTerms, ToolServer, VendorMade } from './hosted.ts';
import type { ProtocolId } from './protocol-id.ts';
import type { RelayError } from './relay-error.ts';

/**
 * The neutral form of a conversation. Each protocol has one reader and one writer for it, so that n protocols need n +
 * n translations and not n × n. Content of only one protocol stays in `extra` under that protocol's name, and is
 * written back only by it.
 */
export interface ChatRequest {
  model: string;
  /**
   * In order. Separate instructions (Messages `system`, Gemini systemInstruction) are messages here.
   */
  messages: Message[];
  tools: Tool[];
  toolChoice: ToolChoice | undefined;
  /** False forbids more than one tool call in a turn; undefined leaves it to the vendor. */
  parallelToolCalls: boolean | undefined;
  responseFormat: ResponseFormat | undefined;
  reasoning: ReasoningRequest | undefined;
  sampling: Sampling;
  /** Limit of output tokens, reasoning included. */
  maxOutputTokens: number | undefined;
  stop: string[];
  /** Number of requested answers (`n`); protocols without it get one. */
  choices: number;
  stream: boolean;
  /** The caller's name for its end user. */
  user: string | undefined;
  metadata: Record<string, string> | undefined;
  serviceTier: string | undefined;
  /** Fields of only the caller's own protocol. */
  extra: Extra | undefined;
}

/** Fields of a protocol without a neutral form. Only the same protocol writes them back. */
export interface Extra {
  protocol: ProtocolId;
  fields: JsonObject;
  /**
   * Names of fields that the meaning of the request depends on (a stored conversation, a tool that the caller runs).
   * Another protocol refuses them, and drops all others (docs/protocols).
   */
  essential?: readonly string[];
  /**
   * Names of fields that another protocol refuses unless it reads them itself: state that the vendor keeps for the
   * conversation, and fields that no table lists (conversation/request-fields.ts).
   */
  refusedFields?: readonly string[];
}

/** A file fetched through the guarded client, for protocols and providers that do not accept addresses. */
export interface FetchedFile {
  mediaType: string;
  base64: string;
}

/** One message of a conversation. `name` distinguishes speakers of one role. */
export interface Message {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  parts: Part[];
  name?: string;
  extra?: Extra;
}

/** The source of the bytes of an image, file or sound. */
export type Source =
  | { kind: 'url'; url: string }
  | { kind: 'data'; mediaType: string; base64: string }
  /** A file that the vendor of protocol `owner` stores; others must refuse it. */
  | { kind: 'id'; id: string; owner: ProtocolId };

/** One piece of a message. */
export type Part =
  /** `citations` are the sources of this text in an earlier answer. */
  | { type: 'text'; text: string; citations?: Citation[]; extra?: Extra }
  | { type: 'image'; source: Source; detail?: string; extra?: Extra }
  | { type: 'audio'; source: Source; extra?: Extra }
  | { type: 'file'; source: Source; name?: string; extra?: Extra }
  /** Reasoning of an earlier turn; `signer` as in the event `reasoning-end`. */
  | {
      type: 'reasoning';
      text: string;
      signature?: string;
      redacted?: string;
      signer?: ProtocolId;
      extra?: Extra;
    }
  | { type: 'refusal'; text: string }
  /** `input` is the model's JSON text unchanged; it may be incomplete or empty. */
  | { type: 'tool-call'; id: string; name: string; input: string; extra?: Extra }
  | { type: 'tool-result'; id: string; name?: string; parts: Part[]; isError: boolean; extra?: Extra }
  /**
   * A part of one protocol only, unchanged; `call` is its neutral form for others, or `'follows'` if a later part has it
   * together with the result.
   */
  | { type: 'other'; call?: HostedCall | 'follows'; extra: Extra };

/** A function that the model may call, or a hosted tool. */
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
 * A hosted tool. conversation/hosted-tools.ts determines its translation. Only an optional tool is omitted, and
 * reported.
 */
export interface HostedTool {
  type: 'vendor';
  kind: HostedKind;
  /** A search that a client offers in every call beside its own tools. */
  isOptional?: true;
  /** Its name in a tool choice. */
  name: string;
  /** Options of a web search. */
  search?: SearchTerms;
  /** The MCP server, for its tools. */
  server?: ToolServer;
  /** The tool in the caller's form. */
  extra: Extra;
}

/** The tool choice: the model may, must or must not call a tool, or which one. */
export type ToolChoice = { type: 'auto' | 'none' | 'required' } | { type: 'tool'; name: string };

/** The format of the answer: text, any JSON, or JSON by a schema. */
export type ResponseFormat =
  | { type: 'text' | 'json' }
  | { type: 'schema'; name: string; schema: JsonObject; strict?: boolean; description?: string };

/** The amount of reasoning: one of the three, by the caller's protocol. */
export interface ReasoningRequest {
  effort?: string;
  budgetTokens?: number;
  /** False turns reasoning off. */
  enabled?: boolean;
  /** Whether and in which form the reasoning is shown. */
  summary?: string;
}

/** Sampling options; each with the caller's value, absent without one. */
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

/** The finish reason of an answer: in neutral form, and in the vendor's. */
export interface FinishReason {
  unified: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'other';
  raw: string;
  /** The stop sequence that was met, if the vendor reports it. */
  sequence?: string;
}

/** A source that the answer refers to. Positions are UTF-16 units in the text of the choice, if they are known. */
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
 * The events of an answer, streamed or whole. Balanced: each `-start` has its `-end`, deltas are between them, `start`
 * is first, `finish` occurs once for each choice, nothing follows `error`. Blocks of one choice do not overlap, except
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
  /** Text that the reader has added to the model's output for display; it costs no tokens. */
  | ({ type: 'text-delta'; text: string; logprobs?: Json; isAdded?: true } & OfBlock)
  | ({ type: 'text-end' } & OfBlock)
  | ({ type: 'refusal-start' } & OfBlock)
  | ({ type: 'refusal-delta'; text: string; logprobs?: Json } & OfBlock)
  | ({ type: 'refusal-end' } & OfBlock)
  | ({ type: 'reasoning-start' } & OfBlock)
  /** A report is from the application around the model, so it costs no tokens. */
  | ({ type: 'reasoning-delta'; text: string; isReport?: true } & OfBlock)
  /**
   * The signature proves the reasoning to its vendor in a later turn; a redacted block has only `redacted`. `signer` is
   * the protocol of that vendor (see conversation/reasoning.ts): no other vendor may receive the signature as its own.
   */
  | ({ type: 'reasoning-end'; signature?: string; redacted?: string; signer?: ProtocolId } & OfBlock)
  | ({ type: 'tool-input-start'; id: string; name: string } & OfBlock)
  | ({ type: 'tool-input-delta'; text: string } & OfBlock)
  | ({ type: 'tool-input-end' } & OfBlock)
  /** A source or place that the answer refers to; `extra` has it in the vendor's form. */
  | ({ type: 'annotation'; citation: Citation; extra?: Extra } & OfChoice)
  /** A picture, sound or file made by the model; `audio` pieces may follow each other. */
  | ({ type: 'file'; source: Source; transcript?: string; extra?: Extra } & OfChoice)
  /**
   * A whole block of one protocol (a search that the vendor ran), in its original form; `call` is the part with
   * equivalents in others.
   */
  | ({ type: 'other'; call?: HostedCall; extra: Extra } & OfChoice)
  /** Partial until the output is reported: input and uses of tools so far. The last one counts. */
  | { type: 'usage'; usage: Usage; isPartial?: true }
  /** Something that a tool of the vendor made; it is not written. */
  | ({ type: 'made'; made: VendorMade } & OfChoice)
  | ({ type: 'finish'; reason: FinishReason } & OfChoice)
  | { type: 'error'; error: RelayError };

import type { JsonObject } from './json.ts';

/** A configured account at a provider, as the relay needs it: parsed once when the channel list is loaded. */
export interface Channel {
  id: number;
  name: string;
  /** The provider's number (wire-facts 4.1). */
  type: number;
  key: string;
  /** Without trailing slash; the provider's default when the row has none. */
  baseUrl: string;
  /** The provider's extra field: API version, region, account id (wire-facts 5.2). */
  other: string;
  /** OpenAI-Organization header; '' for none. */
  organization: string;
  /** Longer requests go to another channel while there is one; 0 for any length. */
  maxInputTokens: number;
  /** Requested model → upstream model, chains resolved while mapping. */
  modelMapping: Readonly<Record<string, string>>;
  /** Upstream status → status shown, as text. */
  statusCodeMapping: Readonly<Record<string, string>>;
  /** Top-level keys that replace the caller's (wire-facts 5.3). */
  paramOverride: JsonObject | null;
  setting: ChannelSetting;
  autoBan: boolean;
  priority: number;
  weight: number;
  /** Unix seconds; Azure cuts dots from model names only for old channels. */
  createdTime: number;
}

/** The channel's `setting` JSON (wire-facts 5.3). Unknown keys are kept in the row and ignored here. */
export interface ChannelSetting {
  /** Answers are written anew in strict OpenAI form. */
  forceFormat: boolean;
  /** Reasoning becomes `<think>` text. */
  thinkingToContent: boolean;
  /** http, https, socks5 or socks5h URL; '' for none. */
  proxy: string;
  /** The request body is forwarded as it came. */
  passThroughBody: boolean;
  /** After the caller hangs up, read on to learn the usage (money.md 6). */
  drain: boolean;
}

import type {
  ChannelChange,
  ChannelData,
  ChannelDraft,
  ChannelFailure,
  ChannelInput,
  ChannelKeyAction,
  KeyLimits,
  ServingChannel,
  Words,
} from '@tollgate/contract';
import type { ChannelRow, RoutedChannel } from './types.ts';

/** A column that orders a list, before `byId`; tags have a separate order. */
type ChannelSort = { by: keyof ChannelRow; descending: boolean } | undefined;

/** Order and page of a list. */
interface ChannelListOptions {
  /** Counts from 0. */
  page: number;
  pageSize: number;
  /** Newest first, instead of highest priority first. */
  byId: boolean;
  /** Pages count tags; all channels of a page's tags are returned. */
  byTag: boolean;
  sort?: ChannelSort;
}

interface ChannelSearch {
  /** Id, exact key, or part of the name or the address; '' for all. */
  keyword: string;
  group: string;
  model: string;
  /** 0 or absent for all. */
  status?: number;
  byId: boolean;
  byTag: boolean;
  sort?: ChannelSort;
}

/** Changes of every channel of a tag; absent fields stay unchanged. */
export interface TagEdit {
  tag: string;
  newTag?: string | undefined;
  priority?: number | undefined;
  weight?: number | undefined;
  modelMapping?: string | undefined;
  models?: string | undefined;
  groups?: string | undefined;
}

/** Renewal of an expiring key. */
export interface KeyRenewal {
  isGood(key: string): boolean;
  /** Requests the next key from the vendor; this uses up the old one. */
  renew(key: string): Promise<string>;
  sleep(ms: number): Promise<void>;
}

/** A change of one entry of a channel's mapping. */
interface MappingChange {
  id: number;
  from: string;
  to: string;
}

/** One of several keys of a channel. */
export interface ManagedKey {
  /** Its place, from 0. */
  index: number;
  id: string;
  /** A few characters of it. */
  hint: string;
  /** 1 on, 2 off by hand, 3 off by Tollgate. */
  status: number;
  reason: string;
  /** Unix seconds; 0 for never. */
  changedAt: number;
  uses: number;
  limits: KeyLimits;
}

/** The key of an action, and its limits for `limit_key`. */
export interface WantedKeys {
  index?: number | undefined;
  id?: string | undefined;
  limits?: KeyLimits | undefined;
}

/** Channels: rows, their abilities, and notifications of the routing. Results never contain a key. */
export interface Channels {
  list(options: ChannelListOptions): Promise<{ items: ChannelData[]; total: number }>;
  search(search: ChannelSearch): Promise<ChannelData[]>;
  /** Throws AppError channel_not_found, like all functions that take an id. */
  get(id: number): Promise<ChannelData>;
  /** One channel for each key. */
  create(input: ChannelInput): Promise<ChannelData[]>;
  /** Changes only the fields that are present; a key that is not empty replaces the stored one. */
  update(change: ChannelChange): Promise<ChannelData>;
  /** A copy with the same key; returns its id. */
  copy(id: number, options: { suffix: string; resetBalance: boolean }): Promise<number>;
  /** Returns how many of them existed. */
  remove(ids: readonly number[]): Promise<number>;
  /** Deletes every disabled channel, whether disabled by hand or by Tollgate. */
  removeDisabled(): Promise<number>;
  setTag(ids: readonly number[], tag: string | null): Promise<number>;
  setTagStatus(tag: string, enabled: boolean): Promise<void>;
  editTag(edit: TagEdit): Promise<void>;
  /** Channels with a model that their vendor retires, whatever their state. */
  withRetiring(model: string): Promise<ServingChannel[]>;
  /**
   * Changes the mapping of a model on several channels, all or none; '' is no mapping. A channel with another mapping
   * than `from` stays unchanged. Returns the ids of the changed channels.
   */
  replaceModel(model: string, changes: readonly MappingChange[]): Promise<number[]>;
  /** Rebuilds all abilities from the channels; returns the number of channels. */
  fix(): Promise<number>;

  /** A channel for the relay, including disabled ones; undefined if there is none or its key cannot be decrypted. */
  load(id: number): Promise<RoutedChannel | undefined>;
  /** A channel with the values of a form, for a test; nothing is stored. Throws the errors of `create` and `update`. */
  draft(form: ChannelDraft): Promise<RoutedChannel>;
  loadAll(): Promise<RoutedChannel[]>;
  /** Stores the result of a test; a test without a failure has passed. */
  noteTest(id: number, milliseconds: number, failure: ChannelFailure | null): Promise<void>;
  /**
   * The present key of a channel if `isGood`; otherwise it is renewed and stored, encrypted, for all channels with the
   * same key. Only one process renews, and the others wait for it. Throws the errors of `renew`, and RelayError
   * `vendor_question_failed`.
   */
  renewKey(id: number, renewal: KeyRenewal): Promise<string>;
  noteBalance(id: number, dollars: number): Promise<void>;
  /**
   * State of the keys of a channel with several keys; throws AppError channel_one_key for others, as `manageKeys` does.
   */
  listKeys(channelId: number): Promise<ManagedKey[]>;
  /** Changes keys and returns their number. One key is selected by its position or its id; the id takes precedence. */
  manageKeys(
    channelId: number,
    action: Exclude<ChannelKeyAction, 'get_key_status'>,
    wanted: WantedKeys,
  ): Promise<number>;
  /**
   * Disables an enabled key of a channel (status 3); with the last enabled key, also the channel. False if it was not
   * enabled.
   */
  disableKey(channelId: number, keyId: string, reason: string | Words): Promise<boolean>;
  /** Enables a key that Tollgate had disabled; with the first enabled key, also the channel. False for other keys. */
  enableKey(channelId: number, keyId: string): Promise<boolean>;
  /** Counts an attempt with a key; counts are written together a little later. */
  countKeyUse(channelId: number, keyId: string): void;
  /** Disables an enabled channel with a reason (status 3); false if it was not enabled. */
  autoDisable(id: number, reason: string | Words): Promise<boolean>;
  /** Enables a channel that Tollgate had disabled; false for other channels. */
  autoEnable(id: number): Promise<boolean>;
}

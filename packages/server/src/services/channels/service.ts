import type { ChannelChange, ChannelData, ChannelFailure, ChannelInput, Words } from '@tollgate/contract';
import type { ChannelRow, RoutedChannel } from './types.ts';

/** A column that orders a list, before `byId`; tags have an order of their own. */
export type ChannelSort = { by: keyof ChannelRow; descending: boolean } | undefined;

/** How a list is ordered and cut. */
interface ChannelListOptions {
  /** Pages count from 0. */
  page: number;
  pageSize: number;
  /** Newest first, instead of the highest priority first. */
  byId: boolean;
  /** Pages count tags; all channels of a page's tags are answered. */
  byTag: boolean;
  sort?: ChannelSort;
}

interface ChannelSearch {
  /** Id, exact key, or part of the name or the address; '' for all. */
  keyword: string;
  group: string;
  model: string;
  byId: boolean;
  byTag: boolean;
  sort?: ChannelSort;
}

/** What changes on every channel of a tag; absent fields stay. */
export interface TagEdit {
  tag: string;
  newTag?: string | undefined;
  priority?: number | undefined;
  weight?: number | undefined;
  modelMapping?: string | undefined;
  models?: string | undefined;
  groups?: string | undefined;
}

/** How a key that ends is renewed. */
export interface KeyRenewal {
  isGood(key: string): boolean;
  /** Asks the vendor for the key that comes next; the old one is spent by it. */
  renew(key: string): Promise<string>;
  sleep(ms: number): Promise<void>;
}

/** Channels: rows, their abilities, and the notice to the routing. Answers never carry a key. */
export interface Channels {
  list(options: ChannelListOptions): Promise<{ items: ChannelData[]; total: number }>;
  search(search: ChannelSearch): Promise<ChannelData[]>;
  /** Throws AppError channel_not_found, as all that take an id. */
  get(id: number): Promise<ChannelData>;
  /** One channel for each key. */
  create(input: ChannelInput): Promise<ChannelData[]>;
  /** Changes only the fields that are there; a key that is not empty replaces the stored one. */
  update(change: ChannelChange): Promise<ChannelData>;
  /** A copy with the same key; answers its id. */
  copy(id: number, options: { suffix: string; resetBalance: boolean }): Promise<number>;
  /** Answers how many of them existed. */
  remove(ids: readonly number[]): Promise<number>;
  /** Removes every channel that is disabled, by hand or by Tollgate. */
  removeDisabled(): Promise<number>;
  setTag(ids: readonly number[], tag: string | null): Promise<number>;
  setTagStatus(tag: string, enabled: boolean): Promise<void>;
  editTag(edit: TagEdit): Promise<void>;
  /** Rebuilds all abilities from the channels; answers how many channels there are. */
  fix(): Promise<number>;

  /** A channel as the relay needs it, disabled ones too; undefined when there is none or its key does not open. */
  load(id: number): Promise<RoutedChannel | undefined>;
  loadAll(): Promise<RoutedChannel[]>;
  /** Keeps how a test went; without a failure it passed. */
  noteTest(id: number, milliseconds: number, failure: ChannelFailure | null): Promise<void>;
  /**
   * The key of a channel as it is now where it `isGood`; else renewed and stored, sealed, for all channels that have it:
   * by one process alone, for which the others wait. Throws what `renew` throws, and RelayError `vendor_question_failed`.
   */
  renewKey(id: number, renewal: KeyRenewal): Promise<string>;
  noteBalance(id: number, dollars: number): Promise<void>;
  /** Switches an enabled channel off with a reason (status 3); false when it was not enabled. */
  autoDisable(id: number, reason: string | Words): Promise<boolean>;
  /** Switches a channel on again that Tollgate had switched off; false when it had not. */
  autoEnable(id: number): Promise<boolean>;
}

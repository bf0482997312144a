import type { PriceExtras } from '@tollgate/contract';
import type { Clock } from '../../lib/clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Http } from '../../lib/outbound/http.ts';
import type {
  AcceptedTask,
  Channel,
  Provider,
  RelayError,
  SendTools,
  TaskQuestion,
} from '../../relay/types/index.ts';
import type { TaskPlatform, Tasks } from '../../services/tasks/index.ts';
import type { RelayCall } from '../call/index.ts';
import type { AdmitDeps, RateDeps } from '../entrance/index.ts';
import type { FailoverDeps } from '../failover/index.ts';
import type { HoldDeps } from '../hold/index.ts';
import type { SettleDeps } from '../settle/index.ts';

/** What tasks use of the gateway. */
export interface TaskGateway
  extends
    AdmitDeps,
    FailoverDeps,
    Pick<HoldDeps, 'showQuota'>,
    Pick<SettleDeps, 'logsConsumption' | 'sumsHourly' | 'costOf'> {
  http: Http;
  clock: Clock;
  rate: RateDeps;
  /** Told after each settlement: low-quota warning. Never waits. */
  onTaskSettled(call: TaskCall, settled: { charged: number; balance: number }): void;
}

/** What tasks are built with. */
export interface TaskDeps {
  gateway: TaskGateway;
  tasks: Tasks;
  provider: (type: number) => Provider | undefined;
  /** What a vendor's wire may use between its words and the sending. */
  toolsFor: (provider: Provider, channel: Channel) => SendTools;
}

/** Who wants a task, and when. */
export type TaskCall = Pick<
  RelayCall,
  'requestId' | 'caller' | 'startedAt' | 'path' | 'askedGroup' | 'trace'
>;

/** What is wanted. */
export interface TaskOrder {
  platform: TaskPlatform;
  action: string;
  /** The model that is billed, by which a channel is chosen. */
  model: string;
  /** What the caller said: searched for words that the site forbids. */
  asked: JsonObject;
  /** What is kept of it, as its platform shows it. */
  request: JsonObject;
  /** The only channel that can carry it: an earlier task of the caller is there. */
  channelId?: number;
  /** True where the action costs nothing, whatever the price of its model is. */
  isFree?: boolean;
  /** What the price of a call is multiplied with. */
  extras?: PriceExtras;
  /** Seconds of video that the price is for. */
  seconds?: number;
  /** True where another channel may be tried when one has failed. */
  mayFailOver: boolean;
  /** Counts against the limits of model requests. */
  isRateCounted: boolean;
  /** Ms from now on until it counts as failed. */
  limitMs: number;
  /** Why the vendor of a channel cannot be asked for it: another channel is taken. */
  refusal?(wanted: TaskMaker): RelayError | undefined;
  /** What it costs, where that depends on its vendor: the first one's, before anything is held. */
  measure?(wanted: TaskMaker): Partial<Pick<TaskOrder, 'extras' | 'seconds' | 'request'>>;
  /** How a channel is asked; undefined for a channel that has no such tasks. */
  ask(wanted: TaskAsk): TaskExchange | undefined;
}

/** Who would make it, and as what. */
export interface TaskMaker {
  provider: Provider;
  upstreamModel: string;
}

/** The channel that is to be asked. */
export interface TaskAsk extends TaskMaker {
  channel: Channel;
  tools: SendTools;
}

/** A question for a task and how its answer is read. */
export interface TaskExchange {
  question: TaskQuestion | Promise<TaskQuestion>;
  read(status: number, body: Buffer): AcceptedTask | RelayError;
}

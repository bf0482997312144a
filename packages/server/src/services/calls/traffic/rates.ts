import { channelMinutes, type Db } from '../../../store/index.ts';

/** Success rate of a channel's attempts, and the mean wait for the first byte in ms. */
export interface Rate {
  success: number;
  waitMs: number;
  /** True if the channel had no attempts in the whole time: both are guessed. */
  isGuess: boolean;
}

type Sum = Pick<channelMinutes.AttemptRate, 'succeeded' | 'failed' | 'waits' | 'waitMs'>;

/** A longer time counts like so many attempts beside those of a minute: one failure does not make a minute hopeless. */
const prior = 5;
const hour = 3_600;
const unknown: Rate = { success: 1, waitMs: 0, isGuess: true };

const plus = (a: Sum | undefined, b: Sum): Sum => ({
  succeeded: (a?.succeeded ?? 0) + b.succeeded,
  failed: (a?.failed ?? 0) + b.failed,
  waits: (a?.waits ?? 0) + b.waits,
  waitMs: (a?.waitMs ?? 0) + b.waitMs,
});

/** The rate of some attempts, drawn to that of a longer time if they are few. */
function towards(before: Rate, sum: Sum | undefined): Rate {
  if (!sum || sum.succeeded + sum.failed === 0) return before;
  const weight = before.isGuess ? 0 : prior;
  const tries = sum.succeeded + sum.failed;
  return {
    success: (sum.succeeded + weight * before.success) / (tries + weight),
    waitMs: sum.waits === 0 ? before.waitMs : (sum.waitMs + weight * before.waitMs) / (sum.waits + weight),
    isGuess: false,
  };
}

/** How channels did in a time range: by the minute, and where calls were few by the hour and the whole time. */
export class Rates {
  private readonly db: Db;
  private readonly byModel = new Map<string, Sum>();
  private readonly byChannel = new Map<number, Sum>();
  private all: Sum | undefined;
  private minutes = new Map<string, Sum>();
  private hours = new Map<string, Sum>();

  constructor(db: Db) {
    this.db = db;
  }

  /** Reads the sums of the whole time. */
  async open(from: number, to: number): Promise<void> {
    for (const row of await channelMinutes.rates(this.db, { from, to }, 'all')) {
      this.byModel.set(`${row.channelId} ${row.model}`, row);
      this.byChannel.set(row.channelId, plus(this.byChannel.get(row.channelId), row));
      this.all = plus(this.all, row);
    }
  }

  /** Reads the minutes of an hour, whose calls come next. */
  async readHour(from: number): Promise<void> {
    this.minutes = new Map();
    this.hours = new Map();
    for (const row of await channelMinutes.rates(this.db, { from, to: from + hour }, 'minute')) {
      const name = `${row.channelId} ${row.model}`;
      this.minutes.set(`${row.minute} ${name}`, row);
      this.hours.set(name, plus(this.hours.get(name), row));
    }
  }

  /** The rate of a channel for a model in a minute (Unix seconds of its start) of the read hour. */
  of(channelId: number, model: string, minute: number): Rate {
    const name = `${channelId} ${model}`;
    const ofAll = { ...towards(unknown, this.all), isGuess: true };
    const ofChannel = towards(ofAll, this.byChannel.get(channelId));
    const ofModel = towards(ofChannel, this.byModel.get(name));
    return towards(towards(ofModel, this.hours.get(name)), this.minutes.get(`${minute} ${name}`));
  }
}

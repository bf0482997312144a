import fc from 'fast-check';

/** One step of a history. Indexes are taken modulo the number of items, so that every history can be run. */
export type Step =
  | { kind: 'reserve'; person: number; amount: number; more: number; tokens: number; moreTokens: number }
  | { kind: 'parallelHolds'; person: number; amount: number; tokens: number; count: number }
  | { kind: 'extend'; request: number; more: number; moreTokens: number }
  | { kind: 'mark'; request: number; progress: number; tokens: number }
  | { kind: 'settle'; request: number; amount: number; tokens: number }
  | { kind: 'settleAgain'; request: number; amount: number }
  | { kind: 'release'; request: number }
  | { kind: 'task'; person: number; amount: number }
  | { kind: 'parts'; task: number; amounts: number[] }
  | { kind: 'endTask'; task: number; amount: number }
  | { kind: 'credit'; person: number; amount: number; twice: boolean }
  | { kind: 'adjustBy'; person: number; amount: number }
  | { kind: 'adjustTo'; person: number; amount: number }
  | { kind: 'grant'; person: number; amount: number }
  | { kind: 'limit'; person: number; amount: number }
  | { kind: 'reward'; person: number; amount: number }
  | { kind: 'transfer'; person: number; amount: number }
  | { kind: 'redeem'; person: number; amount: number }
  | { kind: 'crash' }
  | { kind: 'fence'; amount: number; tokens: number }
  | { kind: 'clock'; seconds: number };

const index = fc.nat({ max: 50 });
const amount = fc.nat({ max: 120 });
/** Often nothing of one of the units. */
const some = fc.oneof(fc.constant(0), amount);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('reserve' as const),
      person: index,
      amount,
      more: some,
      tokens: some,
      moreTokens: some,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('parallelHolds' as const),
      person: index,
      amount: fc.integer({ min: 1, max: 40 }),
      tokens: fc.nat({ max: 40 }),
      count: fc.integer({ min: 2, max: 12 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('extend' as const),
      request: index,
      more: some,
      moreTokens: some,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('mark' as const),
      request: index,
      progress: some,
      tokens: some,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('settle' as const), request: index, amount, tokens: some }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('settleAgain' as const), request: index, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const), request: index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('task' as const), person: index, amount }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('parts' as const),
      task: index,
      amounts: fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('endTask' as const), task: index, amount }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('credit' as const),
      person: index,
      amount,
      twice: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('adjustBy' as const),
      person: index,
      amount: fc.integer({ min: -150, max: 150 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('adjustTo' as const), person: index, amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('grant' as const), person: index, amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('limit' as const), person: index, amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reward' as const), person: index, amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('transfer' as const), person: index, amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('redeem' as const), person: index, amount }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'crash' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fence' as const), amount, tokens: some }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      seconds: fc.integer({ min: -9999, max: 9999 }),
    }),
  },
);

/** Any history of steps. */
export const histories = fc.array(step, { maxLength: 40, size: 'max' });

/** A budget for each hour of the clock, or for any hour in a row. Two payers may share one. */
export interface ModelBudget {
  amount: number;
  /** True if it counts tokens. */
  inTokens: boolean;
  /** Charges of a sliding hour with the start of the five minutes that count them; undefined for an hour of the clock. */
  charges?: { start: number; amount: number }[];
  hard: boolean;
  /** Shares that are warned of, in percent. */
  shares: readonly number[];
  /** The shares reached, as `<start of the hour>:<share>`. */
  reached: Set<string>;
  used: number;
  /** Unix seconds of the counting hour, or of the newest five minutes of a sliding one. */
  start: number;
  end: number;
}

/** Figures of one payer in the model. */
export interface ModelPerson {
  /** The payer: members of a team share one. */
  wallet: { balance: number };
  remain: number;
  limited: boolean;
  /** A member of a team: the remaining limit, if any. */
  member?: { left: number; limited: boolean };
  budgets?: readonly ModelBudget[];
  /** A member's own wallet. */
  own: number;
  reward: number;
  used: number;
  requests: number;
}

export interface ModelHold {
  person: ModelPerson;
  amount: number;
  tokens: number;
  tokenAmount: number;
  memberAmount: number;
  /** The counting hour of each budget of the hold. */
  lines: Map<ModelBudget, number>;
  progress: number;
  /** Tokens of the last mark; undefined before the first. */
  marked?: number;
  /** Unix ms. */
  at: number;
  /** True if it outlives its process. */
  isTask: boolean;
}

/** The ledger as three maps and simple arithmetic: every engine must have the same results. */
export class Model {
  readonly holds = new Map<string, ModelHold>();
  readonly settled = new Map<string, number>();

  held({ wallet }: ModelPerson): number {
    let sum = 0;
    for (const hold of this.holds.values()) if (hold.person.wallet === wallet) sum += hold.amount;
    return sum;
  }

  tokenHeld(person: ModelPerson): number {
    return this.sum(person, (hold) => hold.tokenAmount);
  }

  memberHeld(person: ModelPerson): number {
    return this.sum(person, (hold) => hold.memberAmount);
  }

  private sum(person: ModelPerson, of: (hold: ModelHold) => number): number {
    let sum = 0;
    for (const hold of this.holds.values()) if (hold.person === person) sum += of(hold);
    return sum;
  }

  private budgetHeld(budget: ModelBudget): number {
    let sum = 0;
    for (const hold of this.holds.values())
      if (budget.charges ? hold.lines.has(budget) : hold.lines.get(budget) === budget.start)
        sum += heldOn(hold, budget);
    return sum;
  }

  private budgetFree(budget: ModelBudget, at = 0): number {
    if (!budget.hard) return Infinity;
    if (budget.charges) return budget.amount - slidingUse(budget, at) - this.budgetHeld(budget);
    return isOver(budget, at) ? budget.amount : budget.amount - budget.used - this.budgetHeld(budget);
  }

  /** Called when a hold is granted: starts the hour of `at` (Unix ms) if it is later than the present one. */
  private moveOn({ budgets = [] }: Pick<ModelPerson, 'budgets'>, at: number): void {
    const seconds = Math.floor(at / 1000);
    for (const budget of budgets) {
      if (!isOver(budget, at)) continue;
      if (budget.charges) {
        budget.start = seconds - (seconds % 300);
        budget.end = budget.start + 300;
        budget.used = slidingUse(budget, at);
        continue;
      }
      budget.start = Math.max(seconds - (seconds % 3600), budget.end);
      budget.end = seconds - (seconds % 3600) + 3600;
      budget.used = 0;
    }
  }

  private freeIn({ budgets = [] }: ModelPerson, inTokens: boolean, at: number): number {
    const counting = budgets.filter((budget) => budget.inTokens === inTokens);
    return Math.min(...counting.map((budget) => this.budgetFree(budget, at)));
  }

  /** Free amounts of the wallet, of a limited key, of a limited member and of budgets. */
  free(person: ModelPerson, at: number): number {
    return Math.min(
      this.freeIn(person, false, at),
      person.wallet.balance - this.held(person),
      person.limited ? person.remain - this.tokenHeld(person) : Infinity,
      person.member?.limited ? person.member.left - this.memberHeld(person) : Infinity,
    );
  }

  covers(person: ModelPerson, amount: number, tokens: number, at: number): boolean {
    return this.free(person, at) >= amount && this.coversTokens(person, tokens, at);
  }

  private coversTokens(person: ModelPerson, tokens: number, at: number): boolean {
    return tokens === 0 || this.freeIn(person, true, at) >= tokens;
  }

  /** True if an amount is covered without the holds of other calls. */
  coversUnheld(
    { wallet, remain, limited, member, budgets = [] }: ModelPerson,
    [amount, tokens]: readonly [amount: number, tokens: number],
    at: number,
    own?: ModelHold,
  ): boolean {
    const isLeft = (budget: ModelBudget): boolean => {
      const ofOwn = own ? heldOn(own, budget) : 0;
      const used = budget.charges ? slidingUse(budget, at) : isOver(budget, at) ? 0 : budget.used;
      const wanted = (budget.inTokens ? tokens : amount) + ofOwn;
      return (budget.inTokens && wanted === 0) || wanted <= budget.amount - used;
    };
    const isLeftOn = budgets.every((budget) => !budget.hard || isLeft(budget));
    if (own && amount === 0) return isLeftOn;
    return (
      isLeftOn &&
      amount <= wallet.balance - (own?.amount ?? 0) &&
      (!limited || amount <= remain - (own?.tokenAmount ?? 0)) &&
      (!member?.limited || amount <= member.left - (own?.memberAmount ?? 0))
    );
  }

  reserve(
    id: string,
    person: ModelPerson,
    [amount, tokens]: readonly [amount: number, tokens: number],
    at: number,
    isTask = false,
  ): boolean {
    if (!this.covers(person, amount, tokens, at)) return false;
    this.moveOn(person, at);
    const tokenAmount = person.limited ? amount : 0;
    const memberAmount = person.member?.limited ? amount : 0;
    const lines = new Map((person.budgets ?? []).map((budget) => [budget, budget.start]));
    const held = { amount, tokens, tokenAmount, memberAmount };
    this.holds.set(id, { person, ...held, lines, progress: 0, at, isTask });
    return true;
  }

  /** The hold of a request for up to `more` beyond its amount: at most an eighth of the remainder. */
  withMore(person: ModelPerson, amount: number, more: number, at: number): number {
    return amount + spareOf(this.free(person, at) - amount, more);
  }

  /** The same in tokens. */
  withMoreTokens(person: ModelPerson, tokens: number, more: number, at: number): number {
    return tokens + spareOf(this.freeIn(person, true, at) - tokens, more);
  }

  /**
   * An extension of zero is always granted, even if the balance was set below the hold. In a new hour the whole hold
   * counts.
   */
  extend(id: string, more: number, wantedTokens: number, at: number): boolean {
    const hold = this.holds.get(id);
    if (!hold) return false;
    const moreTokens = countsTokens(hold) ? wantedTokens : 0;
    if (more > 0 || moreTokens > 0) {
      // An amount that an ended hour counted is new in the next hour, with all of the hold.
      const isMoved = [...hold.lines].filter(
        ([budget, start]) => budget.hard && !budget.charges && (isOver(budget, at) || start !== budget.start),
      );
      const after = { amount: hold.amount + more, tokens: hold.tokens + moreTokens };
      const isShort = (budget: ModelBudget): boolean => this.budgetFree(budget, at) < heldOn(after, budget);
      if (isMoved.some(([budget]) => heldOn(after, budget) > 0 && isShort(budget))) return false;
      if (more > 0 && this.free(hold.person, at) < more) return false;
      if (!this.coversTokens(hold.person, moreTokens, at)) return false;
      this.moveOn(hold.person, at);
      for (const budget of hold.lines.keys()) hold.lines.set(budget, budget.start);
    }
    hold.amount += more;
    hold.tokens += moreTokens;
    if (hold.person.limited) hold.tokenAmount += more;
    if (hold.person.member?.limited) hold.memberAmount += more;
    return true;
  }

  mark(id: string, progress: number, tokens: number): void {
    const hold = this.holds.get(id);
    if (!hold || hold.progress > progress) return;
    if (hold.progress === progress && (tokens === 0 || !countsTokens(hold))) return;
    hold.progress = progress;
    hold.marked = tokens;
  }

  /** Paid first from its own hold, then from the free amount, never more than available. */
  settle(id: string, amount: number, tokens: number, at: number): number {
    const hold = this.holds.get(id)!;
    const { person } = hold;
    const wanted = Math.min(amount, this.coveredBy(hold, hold.amount, at));
    const charged = take(wanted, hold.amount, person.wallet.balance, this.held(person));
    const counted = this.tokensOn(hold, tokens, hold.tokens, at);
    this.moveSliding(hold, charged > hold.amount, counted, hold.tokens, at);
    this.charge(person, charged, hold, counted);
    this.holds.delete(id);
    this.settled.set(id, charged);
    person.requests += 1;
    return charged;
  }

  /** Charges a part of a hold, which keeps the rest. */
  settlePart(hold: ModelHold, id: string, amount: number, at: number): number {
    const { person, amount: held } = hold;
    const wanted = Math.min(amount, this.coveredBy(hold, held, at));
    const charged = take(wanted, held, person.wallet.balance, this.held(person));
    const lines = new Map(hold.lines);
    // A part has as many tokens as quota units.
    const counted = this.tokensOn(hold, amount, hold.tokens, at);
    this.moveSliding({ ...hold, lines }, charged > held, counted, hold.tokens, at);
    this.charge(person, charged, { ...hold, lines }, counted);
    if (countsTokens(hold)) hold.tokens = Math.max(0, hold.tokens - amount);
    hold.amount = Math.max(0, held - charged);
    hold.tokenAmount = Math.max(0, hold.tokenAmount - charged);
    hold.memberAmount = Math.max(0, hold.memberAmount - charged);
    this.settled.set(id, charged);
    person.requests += 1;
    return charged;
  }

  /** The holds that end with their process. */
  get calls(): [string, ModelHold][] {
    return [...this.holds].filter(([, { isTask }]) => !isTask);
  }

  /** The part of a charge that hard budgets cover: its hold, and in the counting hour their free rest. */
  private coveredBy({ lines }: ModelHold, held: number, at: number): number {
    const all = [...lines].filter(([budget]) => !budget.inTokens);
    return Math.max(0, Math.min(...all.map(([budget, start]) => this.coveredOn(budget, start, held, at))));
  }

  private coveredOn(budget: ModelBudget, start: number, held: number, at: number): number {
    if (!budget.hard) return Infinity;
    if (budget.charges) return Math.max(held, this.budgetFree(budget, at) + held);
    return start === budget.start ? Math.max(held, this.budgetFree(budget) + held) : held;
  }

  /** The tokens of a call that each of its budgets in tokens covers. */
  private tokensOn({ lines }: ModelHold, tokens: number, held: number, at: number): Map<ModelBudget, number> {
    const inTokens = [...lines].filter(([budget]) => budget.inTokens);
    return new Map(
      inTokens.map(([budget, start]) => [
        budget,
        Math.min(tokens, Math.max(0, this.coveredOn(budget, start, held, at))),
      ]),
    );
  }

  /** A charge above its hold grows as it is settled, so that a sliding hour counts all of it then. */
  private moveSliding(
    { lines }: ModelHold,
    isAbove: boolean,
    counted: ReadonlyMap<ModelBudget, number>,
    heldTokens: number,
    at: number,
  ): void {
    const sliding = [...lines.keys()].filter(
      (budget) => budget.charges && (budget.inTokens ? counted.get(budget)! > heldTokens : isAbove),
    );
    this.moveOn({ budgets: sliding }, at);
    for (const budget of sliding) lines.set(budget, budget.start);
  }

  /** Takes a charge from the wallet and, up to their limits, from both meters. */
  private charge(
    person: ModelPerson,
    charged: number,
    hold: Pick<ModelHold, 'tokenAmount' | 'memberAmount' | 'lines'>,
    counted: ReadonlyMap<ModelBudget, number>,
  ): void {
    for (const [budget, start] of hold.lines)
      if (budget.charges ? isInHour(budget.start, start) : start === budget.start)
        count(budget, counted.get(budget) ?? charged, start);
    const { member } = person;
    person.remain -= person.limited
      ? take(charged, hold.tokenAmount, person.remain, this.tokenHeld(person))
      : charged;
    if (member)
      member.left -= member.limited
        ? take(charged, hold.memberAmount, member.left, this.memberHeld(person))
        : charged;
    person.wallet.balance -= charged;
    person.used += charged;
  }

  /** Effect of a crash and its recovery: undelivered amounts are returned, the rest is charged, oldest first. */
  crash(at: number): void {
    const holds = this.calls.toSorted(([a, one], [b, two]) => one.at - two.at || (a < b ? -1 : 1));
    const isReturned = (hold: ModelHold): boolean => hold.progress === 0 && hold.marked === undefined;
    for (const [id, hold] of holds) if (isReturned(hold)) this.holds.delete(id);
    for (const [id, hold] of holds)
      if (!isReturned(hold)) this.settle(id, hold.progress, hold.marked ?? 0, at);
  }

  /** A call settles after recovery has ended its hold: its cost beyond the mark, up to the former hold. */
  settleLate(
    id: string,
    [amount, tokens]: readonly [amount: number, tokens: number],
    hold: ModelHold,
    at: number,
  ): number {
    const { person, amount: held, progress, lines } = hold;
    const atMark = this.settled.get(id);
    const wanted = atMark === undefined ? amount : Math.min(amount, held) - progress;
    const covered = Math.min(wanted, this.coveredBy(hold, 0, at));
    const charged = Math.max(0, take(covered, 0, person.wallet.balance, this.held(person)));
    const heldTokens = countsTokens(hold) ? hold.tokens : 0;
    const further = Math.max(0, Math.min(tokens, heldTokens) - (hold.marked ?? 0));
    const counted = this.tokensOn(hold, atMark === undefined ? tokens : further, 0, at);
    this.moveSliding(hold, charged > 0, counted, 0, at);
    this.charge(person, charged, { tokenAmount: 0, memberAmount: 0, lines }, counted);
    this.settled.set(id, (atMark ?? 0) + charged);
    if (atMark === undefined) person.requests += 1;
    return (atMark ?? 0) + charged;
  }
}

/** What a hold has on a budget. */
const heldOn = (
  { amount, tokens }: Pick<ModelHold, 'amount' | 'tokens'>,
  { inTokens }: ModelBudget,
): number => (inTokens ? tokens : amount);

const countsTokens = ({ lines }: ModelHold): boolean => [...lines.keys()].some(({ inTokens }) => inTokens);

const spareOf = (free: number, more: number): number => Math.min(more, Math.max(0, Math.floor(free / 8)));

/** True if a sliding hour that ends within five minutes counts those that begin at `start`: a piece of them is in it. */
const isInHour = (newest: number, start: number): boolean => start <= newest && start + 300 > newest - 3_600;

/** Use of a sliding hour at a moment (Unix ms), or at its last hold if that is later. */
function slidingUse({ charges = [], start: newest }: ModelBudget, at: number): number {
  const seconds = Math.floor(at / 1_000);
  const now = Math.max(newest, seconds - (seconds % 300));
  let sum = 0;
  for (const { start, amount } of charges) if (isInHour(now, start)) sum += amount;
  return sum;
}

function count(budget: ModelBudget, charged: number, start: number): void {
  const before = budget.used;
  budget.used += charged;
  budget.charges?.push({ start, amount: charged });
  const window = budget.charges ? budget.start - (budget.start % 3_600) : budget.start;
  for (const share of budget.shares) {
    const limit = (budget.amount * share) / 100;
    if (before < limit && budget.used >= limit) budget.reached.add(`${window}:${share}`);
  }
}

const isOver = ({ end }: ModelBudget, at: number): boolean => Math.floor(at / 1000) >= end;

function take(amount: number, own: number, stock: number, held: number): number {
  const fromHold = Math.min(amount, own);
  const free = Math.max(0, stock - held);
  return Math.min(stock, fromHold + Math.min(amount - fromHold, free));
}

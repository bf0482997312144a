import { beforeEach, describe, expect, it } from 'vitest';
import { MarkRounds, ProgressMarks } from './progress.ts';

describe('the progress marks of an answer', () => {
  let now = 0;
  let disk: PromiseWithResolvers<void>;
  let written = 0;
  let marks: ProgressMarks;
  beforeEach(() => {
    [now, written] = [0, 0];
    disk = Promise.withResolvers();
    const rounds = { add: () => undefined, delete: () => undefined };
    marks = new ProgressMarks(
      rounds,
      () => now,
      () => {
        written += 1;
        return disk.promise;
      },
    );
  });
  const roundAt = (at: number): void => {
    now = at;
    marks.markIfDue();
  };

  it('are written when something was delivered a second ago, also if nothing follows', () => {
    roundAt(900);
    expect(written).toBe(0);
    marks.noteDelivered();
    roundAt(1_600);
    expect(written).toBe(0);
    roundAt(1_800);
    expect(written).toBe(1);
  });

  it('hold the delivery back while what was delivered more than a second ago is not on disk', async () => {
    marks.noteDelivered();
    roundAt(900);
    expect(marks.whenWritten()).toBeUndefined();
    now = 1_000;
    marks.noteDelivered();
    now = 1_300;
    const waiting = marks.whenWritten();
    expect(waiting).toBeInstanceOf(Promise);
    roundAt(2_500);
    expect(written).toBe(1);
    disk.resolve();
    await waiting;
    expect(marks.whenWritten()).toBeUndefined();
    roundAt(2_600);
    expect(written).toBe(2);
  });

  it('are written when the clock was set back', () => {
    now = 100_000;
    marks.noteDelivered();
    roundAt(1_000);
    expect(written).toBe(1);
    expect(marks.whenWritten()).toBeInstanceOf(Promise);
  });

  it('end the delivery where they cannot be written', async () => {
    marks.noteDelivered();
    roundAt(2_000);
    const waiting = marks.whenWritten();
    disk.reject(new Error('gone'));
    await waiting;
    expect(marks.hasFailed).toBe(true);
  });
});

it('a round marks each answer until it is over', async () => {
  const rounds = new MarkRounds();
  const asked = { one: 0, two: 0 };
  const one = { markIfDue: () => void (asked.one += 1) };
  const two = { markIfDue: () => void (asked.two += 1) };
  rounds.add(one);
  rounds.add(two);
  await expect.poll(() => asked.one).toBeGreaterThan(1);
  rounds.delete(one);
  const before = asked.one;
  await expect.poll(() => asked.two).toBeGreaterThan(before + 1);
  expect(asked.one).toBe(before);
  rounds.delete(two);
});

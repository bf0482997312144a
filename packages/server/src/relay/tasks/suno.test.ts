import { describe, expect, it } from 'vitest';
import { RelayError } from '../types/index.ts';
import { sunoTasks } from './suno.ts';

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('an answer of a Suno server', () => {
  it('has the id of an accepted task', () => {
    expect(sunoTasks.readSubmit(200, json({ code: 'success', data: 'abc' }))).toMatchObject({
      vendorId: 'abc',
      update: { state: 'submitted' },
    });
  });

  it.each([
    ['a refusal', 200, { code: 'quota', message: 'no more songs', data: null }, 502],
    ['another status', 429, { message: 'slow down' }, 429],
    ['a success without an id', 200, { code: 'success', data: '' }, 502],
  ])('is a failure: %s', (_, status, body, shown) => {
    const read = sunoTasks.readSubmit(status, json(body));
    expect(read).toBeInstanceOf(RelayError);
    expect(read).toMatchObject({ status: shown });
  });

  it('has the states of many tasks, in Tollgate’s terms', () => {
    const data = [
      { task_id: 'a', status: 'IN_PROGRESS', progress: '40%' },
      { task_id: 'b', status: 'FAILURE', fail_reason: 'not allowed' },
      { task_id: 'c', status: 'something new' },
    ];
    const read = sunoTasks.readPoll(200, json({ code: 'success', data }));
    if (read instanceof RelayError) throw read;
    expect(read.get('a')).toMatchObject({ state: 'in_progress', progress: 40 });
    expect(read.get('b')).toMatchObject({ state: 'failed', reason: 'not allowed' });
    expect(read.get('c')).toMatchObject({ state: 'in_progress', vendorStatus: 'something new' });
  });
});

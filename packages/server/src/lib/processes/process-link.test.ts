import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { linkedPair } from '../../testing/linked/linked-pair.ts';

describe('the link between two processes', () => {
  it('answers each question with its own answer, and sends the questions of one turn as one message', async () => {
    const { links, sent } = linkedPair();
    links[1].offer('double', (value) => Number(value) * 2);
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => links[0].ask('double', i)));
    expect(answers).toEqual(Array.from({ length: 100 }, (_, i) => i * 2));
    expect(sent[0]).toHaveLength(100);
    expect(sent.length).toBeLessThan(10);
  });

  it('returns errors to the asker, also for a name that is not offered', async () => {
    const { links } = linkedPair();
    links[1].offer('fail', () => {
      throw new Error('no');
    });
    await expect(links[0].ask('fail')).rejects.toThrow('no');
    await expect(links[0].ask('unheard of')).rejects.toThrow('nothing is offered as unheard of');
  });

  it('rejects questions to a process that has ended', async () => {
    const { links, sent } = linkedPair();
    links[1].offer('never', () => new Promise(() => undefined));
    const asked = links[0].ask('never');
    await turn();
    links[0].cut(new Error('it died'));
    await expect(asked).rejects.toThrow('it died');
    await expect(links[0].ask('never')).rejects.toThrow('it died');
    links[0].notify('never');
    await turn();
    expect(sent).toHaveLength(1);
  });
});

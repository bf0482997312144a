import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useLanguage } from '../../../lib/i18n.ts';
import { root, testChannel, type TestChoice } from '../base/queries.ts';

export type TestResult =
  | { state: 'running' }
  | { state: 'good'; seconds: number }
  | { state: 'bad'; problem: string };

/** Models tested at the same time: more would look like an attack to the provider. */
const parallel = 3;

/** Tests models of one channel with calls of one kind, a few at a time; can be stopped, and stops when the dialog closes. */
export function useModelTests(channelId: number, kind: TestChoice) {
  const client = useQueryClient();
  const language = useLanguage();
  const [results, setResults] = useState<Readonly<Record<string, TestResult>>>({});
  const [running, setRunning] = useState(false);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  const note = (model: string, result: TestResult | undefined) =>
    setResults(({ [model]: _before, ...others }) => (result ? { ...others, [model]: result } : others));

  const testOne = async (model: string, signal: AbortSignal) => {
    note(model, { state: 'running' });
    try {
      note(model, { state: 'good', seconds: await testChannel(channelId, model, signal, kind) });
    } catch (error) {
      note(model, signal.aborted ? undefined : { state: 'bad', problem: errorMessage(error, language) });
    }
  };

  const run = async (models: readonly string[]) => {
    const mine = new AbortController();
    controller.current = mine;
    setRunning(true);
    const waiting = [...models];
    const worker = async () => {
      for (let model = waiting.shift(); model !== undefined && !mine.signal.aborted; model = waiting.shift())
        await testOne(model, mine.signal);
    };
    await Promise.all(Array.from({ length: parallel }, worker));
    setRunning(false);
    await client.invalidateQueries({ queryKey: root });
  };

  return {
    results,
    running,
    test: (models: readonly string[]) => void run(models),
    stop: () => controller.current?.abort(),
  };
}

import { logApi, type LogData } from '@tollgate/contract';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { ApiError, errorMessage } from '../../lib/api/api-error.ts';
import { keyCall, streamChat, type ChatUsage } from '../../lib/api/chat-stream.ts';
import { useLanguage } from '../../lib/i18n.ts';

/** One call and its result. */
export interface Trial {
  state: 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed';
  answer: string;
  /** Milliseconds until the first word; null before it. */
  firstTokenMs: number | null;
  totalMs: number | null;
  usage: ChatUsage | null;
  requestId: string | null;
  /** The log row of the call, after it is written. */
  receipt: LogData | null;
  problem: string | null;
}

const begun: Trial = {
  state: 'waiting',
  answer: '',
  firstTokenMs: null,
  totalMs: null,
  usage: null,
  requestId: null,
  receipt: null,
  problem: null,
};

/** Delays before each request for the log row, in ms: it is written right after the stream ends. */
const receiptDelaysMs = [120, 300, 600, 1200];

async function findReceipt(requestId: string): Promise<LogData | null> {
  for (const pause of receiptDelaysMs) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    const page = await call(logApi.ownList, { p: 1, page_size: 10, request_id: requestId });
    const row = page.items.find((item) => item.request_id === requestId);
    if (row) return row;
  }
  return null;
}

/** Makes one streamed call with a key, like a program, and reads its cost. */
export function useTryIt(apiKey: string, onCharged?: (receipt: LogData) => void) {
  const language = useLanguage();
  const [trial, setTrial] = useState<Trial | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const send = async (model: string, prompt: string) => {
    const controller = new AbortController();
    running.current?.abort();
    running.current = controller;
    let state: Trial = begun;
    const update = (change: Partial<Trial>) => {
      if (running.current !== controller) return;
      state = { ...state, ...change };
      setTrial(state);
    };
    update({});
    const startedAt = performance.now();
    const elapsed = () => performance.now() - startedAt;
    try {
      const messages = [{ role: 'user' as const, content: prompt }];
      const steps = streamChat({ ...keyCall(apiKey), body: { model, messages }, signal: controller.signal });
      for await (const step of steps) {
        if (step.type === 'start') update({ requestId: step.requestId });
        else if (step.type === 'usage') update({ usage: step.usage });
        else if (step.type === 'text')
          update({
            state: 'streaming',
            answer: state.answer + step.text,
            firstTokenMs: state.firstTokenMs ?? elapsed(),
          });
      }
      update({ state: 'done', totalMs: elapsed() });
    } catch (error) {
      if (controller.signal.aborted) update({ state: 'stopped', totalMs: elapsed() });
      else {
        const requestId = error instanceof ApiError ? (error.requestId ?? state.requestId) : state.requestId;
        update({ state: 'failed', problem: errorMessage(error, language), requestId });
        return;
      }
    }
    const receipt = state.requestId ? await findReceipt(state.requestId).catch(() => null) : null;
    if (receipt) {
      update({ receipt });
      onCharged?.(receipt);
    }
  };
  return { trial, send, stop: () => running.current?.abort() };
}

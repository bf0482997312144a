import { Button, Textarea } from '@mantine/core';
import type { LogData } from '@tollgate/contract';
import { SendHorizontal, Square } from 'lucide-react';
import { useState } from 'react';
import { texts, useLanguage, useTranslate } from '../../lib/i18n.ts';
import { formatDuration, formatNumber } from '../../lib/format/number-format.ts';
import { Notice } from '../../ui/notice.tsx';
import { Money } from '../money/money.tsx';
import { chatModelsOf } from '../snippets/media.ts';
import { SearchSelect } from '../search-select/search-select.tsx';
import classes from './try-it.module.css';
import { type Trial, useTryIt } from './use-try-it.ts';

const text = texts({
  model: { zh: '模型', en: 'Model' },
  noModels: { zh: '还没有可用的模型', en: 'No models available yet' },
  prompt: { zh: '内容', en: 'Message' },
  placeholder: { zh: '问点什么…', en: 'Ask something…' },
  sample: { zh: '你好！请用一句话介绍一下自己。', en: 'Hello! Introduce yourself in one sentence.' },
  send: { zh: '发送', en: 'Send' },
  stop: { zh: '停止', en: 'Stop' },
  answer: { zh: '回答', en: 'Answer' },
  waiting: { zh: '等待回答…', en: 'Waiting for the answer…' },
  stopped: { zh: '已停止', en: 'Stopped' },
  firstToken: { zh: '首字 {time}', en: 'first token {time}' },
  total: { zh: '共 {time}', en: '{time} total' },
  tokens: { zh: '输入 {input} · 输出 {output}', en: '{input} in · {output} out' },
  cost: { zh: '费用', en: 'Cost' },
  requestId: { zh: '请求 ID：{id}', en: 'Request ID: {id}' },
});

interface TryItProps {
  /** The key with its `sk-`. */
  apiKey: string;
  /** Models that the key may call; the box offers the chat models. */
  models: readonly string[];
  /** Called with the log row after the call was charged. */
  onCharged?: (receipt: LogData) => void;
}

/** Makes a real, billed call with a key and shows its usage and cost. */
export function TryIt({ apiKey, models, onCharged }: TryItProps) {
  const t = useTranslate();
  const [model, setModel] = useState<string | null>(null);
  const [prompt, setPrompt] = useState(() => t(text.sample));
  const { trial, send, stop } = useTryIt(apiKey, onCharged);
  const offered = chatModelsOf(models);
  const chosen = model ?? offered[0] ?? null;
  const running = trial?.state === 'waiting' || trial?.state === 'streaming';
  const ready = chosen !== null && prompt.trim() !== '';
  const submit = () => {
    if (chosen !== null && ready && !running) void send(chosen, prompt.trim());
  };

  return (
    <div>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Prompt value={prompt} onChange={setPrompt} onEnter={submit} />
        <div className={classes.row}>
          <SearchSelect
            className={classes.grow}
            aria-label={t(text.model)}
            placeholder={t(text.noModels)}
            data={offered}
            value={chosen}
            onChange={setModel}
            allowDeselect={false}
          />
          <SendButton isRunning={running} disabled={!ready} onStop={stop} />
        </div>
      </form>
      {trial && <Answer trial={trial} />}
    </div>
  );
}

interface PromptProps {
  value: string;
  onChange: (prompt: string) => void;
  onEnter: () => void;
}

function Prompt({ value, onChange, onEnter }: PromptProps) {
  const t = useTranslate();
  return (
    <Textarea
      label={t(text.prompt)}
      placeholder={t(text.placeholder)}
      value={value}
      autosize
      minRows={2}
      maxRows={6}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        // Enter sends, as in every chat; a composing input method uses Enter for itself.
        if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
        event.preventDefault();
        onEnter();
      }}
    />
  );
}

interface SendButtonProps {
  isRunning: boolean;
  disabled: boolean;
  onStop: () => void;
}

/** Sends; during an answer it stops the answer. */
function SendButton({ isRunning, disabled, onStop }: SendButtonProps) {
  const t = useTranslate();
  if (isRunning)
    return (
      <Button variant="default" leftSection={<Square size={13} />} onClick={onStop}>
        {t(text.stop)}
      </Button>
    );
  return (
    <Button type="submit" disabled={disabled} leftSection={<SendHorizontal size={14} />}>
      {t(text.send)}
    </Button>
  );
}

function Answer({ trial }: { trial: Trial }) {
  const t = useTranslate();
  if (trial.state === 'failed') {
    return (
      <div className={classes.failed}>
        <Notice tone="bad" role="alert">
          {trial.problem}
          {trial.requestId && <div>{t(text.requestId, { id: trial.requestId })}</div>}
        </Notice>
      </div>
    );
  }
  return (
    <section className={classes.answer} aria-label={t(text.answer)} aria-busy={trial.totalMs === null}>
      <div className={classes.words} aria-live="polite">
        {trial.answer === '' && trial.state === 'waiting' ? (
          <span className={classes.waiting}>{t(text.waiting)}</span>
        ) : (
          trial.answer
        )}
      </div>
      <Facts trial={trial} />
    </section>
  );
}

function Facts({ trial }: { trial: Trial }) {
  const t = useTranslate();
  const language = useLanguage();
  const { usage, firstTokenMs, totalMs, receipt } = trial;
  return (
    <div className={classes.facts}>
      {firstTokenMs !== null && <span>{t(text.firstToken, { time: formatDuration(firstTokenMs) })}</span>}
      {totalMs !== null && <span>{t(text.total, { time: formatDuration(totalMs) })}</span>}
      {usage && (
        <span>
          {t(text.tokens, {
            input: formatNumber(usage.inputTokens, language),
            output: formatNumber(usage.outputTokens, language),
          })}
        </span>
      )}
      {trial.state === 'stopped' && <span>{t(text.stopped)}</span>}
      {receipt && (
        <span className={classes.cost}>
          {t(text.cost)} <Money quota={receipt.quota} digits={6} />
        </span>
      )}
    </div>
  );
}

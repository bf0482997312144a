import { ArrowDown } from 'lucide-react';
import { useCallback, useLayoutEffect, useRef } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { AnswerView } from './answer.tsx';
import { Greeting } from './greeting.tsx';
import { QuestionView } from './question.tsx';
import { text } from '../base/text.ts';
import classes from './thread.module.css';
import type { Message } from '../base/types.ts';
import { useStickToBottom } from './use-stick-to-bottom.ts';

interface ThreadProps {
  messages: readonly Message[];
  /** The running answer. */
  running: number | null;
  /** True if a model is selected. */
  ready: boolean;
  onIdea: (idea: string) => void;
  onRegenerate: (id: number) => void;
  onResend: (id: number, content: string, images: readonly string[]) => void;
  onRaw: (id: number) => void;
}

/** The conversation. It scrolls with new text while the reader is at its end. */
export function Thread({ messages, running, ready, onIdea, ...acts }: ThreadProps) {
  const t = useTranslate();
  const { frame, atEnd, toEnd } = useStickToBottom(messages);
  const line = messages.findLastIndex(({ role }) => role === 'divider');
  const { onRegenerate, onResend, onRaw } = useStable(acts);
  return (
    <div className={classes.holder}>
      {/* Scrolls, so it must be focusable for the arrow keys. */}
      <div
        ref={frame}
        className={classes.frame}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={t(text.conversation)}
      >
        <div className={classes.column}>
          <Greeting full={messages.length === 0} ready={ready} onIdea={onIdea} />
          {messages.map((message, index) => {
            if (message.role === 'divider')
              return (
                <div key={message.id} className={classes.divider}>
                  {t(text.cleared)}
                </div>
              );
            const shared = { canAct: running === null && ready, isForgotten: index < line };
            return message.role === 'user' ? (
              <QuestionView key={message.id} question={message} {...shared} onResend={onResend} />
            ) : (
              <AnswerView
                key={message.id}
                answer={message}
                {...shared}
                onRegenerate={onRegenerate}
                onRaw={onRaw}
              />
            );
          })}
        </div>
      </div>
      {!atEnd && (
        <button type="button" className={classes.toEnd} onClick={toEnd}>
          <ArrowDown size={14} aria-hidden="true" />
          {t(text.toLatest)}
        </button>
      )}
      <Announcer messages={messages} running={running} />
    </div>
  );
}

type ThreadActions = Pick<ThreadProps, 'onRegenerate' | 'onResend' | 'onRaw'>;

/** Callbacks keep their identity, so that finished messages are not rendered again with each new token. */
function useStable(acts: ThreadActions): ThreadActions {
  const latest = useRef(acts);
  useLayoutEffect(() => {
    latest.current = acts;
  });
  return {
    onRegenerate: useCallback((id) => latest.current.onRegenerate(id), []),
    onResend: useCallback((id, content, images) => latest.current.onResend(id, content, images), []),
    onRaw: useCallback((id) => latest.current.onRaw(id), []),
  };
}

/** Announces the state of an answer to screen readers; an announcement of every token would be too much. */
function Announcer({ messages, running }: Pick<ThreadProps, 'messages' | 'running'>) {
  const t = useTranslate();
  const last = messages.at(-1);
  const words =
    running !== null
      ? text.waiting
      : last?.role !== 'assistant'
        ? null
        : last.status === 'error'
          ? text.failed
          : last.stopped
            ? text.stopped
            : text.answered;
  return (
    <div className={classes.announcer} role="status">
      {words && t(words)}
    </div>
  );
}

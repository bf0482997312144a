import { isChannelTest, logType, type LogData } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { type Translate, useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { errorLabel } from '../../../shared/wire-words/error-labels.ts';
import { useWireWords } from '../../../shared/wire-words/use-wire-words.ts';
import { Tag } from '../../../ui/tag.tsx';
import classes from './cells.module.css';
import { failureOf } from './failure.ts';
import { otherOf, type LogOther } from './other.ts';
import { SessionLink } from './session-link.tsx';
import { TaskLink } from './task-link.tsx';
import { markText, text } from './text.ts';

/** The last column of a row: special facts about the call. Its receipt has the parts of its price. */
export function Details({ row }: { row: LogData }) {
  const wireWords = useWireWords();
  if (row.type === logType.error) return <FailedMarks row={row} />;
  if (row.type !== logType.consume)
    return <span title={wireWords(row.content)}>{wireWords(row.content)}</span>;
  return (
    <span className={classes.details}>
      <Marks row={row} />
    </span>
  );
}

/** The status and the error of a failed call. */
function FailedMarks({ row }: { row: LogData }) {
  const language = useLanguage();
  const wireWords = useWireWords();
  const { status, code, calls } = failureOf(row);
  const words = wireWords(row.content);
  return (
    <span className={classes.details}>
      {status !== 0 && (
        <Tag tone="bad" title={errorLabel(code, language)}>
          {calls > 1 ? `${status} ×${formatNumber(calls, language)}` : status}
        </Tag>
      )}
      <span className={classes.rest} title={words}>
        {words}
      </span>
    </span>
  );
}

/** One tag for each unusual fact; money comes first, because users look for it. */
function Marks({ row }: { row: LogData }): ReactNode {
  const t = useTranslate();
  const language = useLanguage();
  const other = otherOf(row);
  const count = (value: number) => formatNumber(value, language);
  return (
    <>
      {isChannelTest(row) && <Tag>{t(text.free)}</Tag>}
      {other.isUnpriced && (
        <Tag tone="warn" title={t(markText.unpricedHint)}>
          {t(markText.unpriced)}
        </Tag>
      )}
      {other.isEstimated && (
        <Tag tone="warn" title={t(markText.estimatedHint)}>
          {t(markText.estimated)}
        </Tag>
      )}
      {other.isRealtime && <Realtime row={row} />}
      {other.task && (
        <TaskLink task={other.task} title={t(markText.toTask)}>
          <Tag tone="accent">{t(markText.task)}</Tag>
        </TaskLink>
      )}
      {other.hasAudio && (
        <Tag tone="info" title={soundText(other, t, count)}>
          {t(markText.audio)}
        </Tag>
      )}
      {other.tool && <Tag tone="info">{t(markText.tool)}</Tag>}
      {other.images && <Tag tone="info">{t(markText.images, { count: other.images.count })}</Tag>}
      {other.hasImageTokens && !other.images && <Tag tone="info">{t(markText.image)}</Tag>}
      {other.cacheShare !== null && (
        <Tag tone="info" title={t(markText.storedHint)}>
          {t(markText.stored)}
        </Tag>
      )}
      {other.webSearches > 0 && <Tag tone="info">{t(markText.web, { count: other.webSearches })}</Tag>}
      {other.fileSearches > 0 && <Tag tone="info">{t(markText.file, { count: other.fileSearches })}</Tag>}
      {other.reasoningEffort && (
        <Tag title={t(markText.effort)}>{`${t(markText.effortShort)} ${other.reasoningEffort}`}</Tag>
      )}
    </>
  );
}

/** A response of a session; its tag links to the others. */
function Realtime({ row }: { row: LogData }) {
  const t = useTranslate();
  const { session } = otherOf(row);
  const tag = <Tag tone="accent">{t(markText.realtime)}</Tag>;
  if (session === null) return tag;
  return (
    <SessionLink session={session} at={row.created_at} title={t(markText.wholeSession)}>
      {tag}
    </SessionLink>
  );
}

/** Text and audio tokens as text: input 144 text + 56 audio; '' if all tokens are text. */
export function soundText({ sound }: LogOther, t: Translate, count: (value: number) => string): string {
  if (sound === null || sound.audioInput + sound.audioOutput === 0) return '';
  const input = t(markText.soundIn, { text: count(sound.textInput), audio: count(sound.audioInput) });
  const output = t(markText.soundOut, { text: count(sound.textOutput), audio: count(sound.audioOutput) });
  return `${input} · ${output}`;
}

import { Link } from '@tanstack/react-router';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatDuration } from '../../../lib/format/number-format.ts';
import { errorLabel } from '../../../shared/wire-words/error-labels.ts';
import { Tag } from '../../../ui/tag.tsx';
import type { TriedChannel } from '../base/failure.ts';
import classes from './receipt.module.css';
import { receiptText as text } from './receipt-text.ts';

/** The tried channels, in order, each with a link to the channel. */
export function Tries({ tries }: { tries: readonly TriedChannel[] }) {
  const t = useTranslate();
  const language = useLanguage();
  if (tries.length === 0) return null;
  return (
    <div>
      <h2 className={classes.heading}>{t(text.route)}</h2>
      <ol className={classes.tries}>
        {tries.map((tried, index) => (
          // A channel is tried only once, but a row of another program may repeat it.
          <li key={`${index}-${tried.channel}`} className={classes.try}>
            <Link to="/channel" search={{ edit: String(tried.channel) }} className={classes.channel}>
              {tried.name === '' ? t(text.channelOf, { id: tried.channel }) : tried.name}
            </Link>
            <span className="muted">
              #{tried.channel} · {formatDuration(tried.ms)}
            </span>
            {tried.reason === undefined ? (
              <Tag tone="good">{t(text.answered)}</Tag>
            ) : (
              <Tag tone="bad">
                {[tried.status, errorLabel(tried.reason, language)].filter(Boolean).join(' ')}
              </Tag>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

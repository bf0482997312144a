import { useTranslate } from '../../../lib/i18n.ts';
import { text } from '../base/text.ts';
import classes from './tasks.module.css';
import { Nothing } from '../../../ui/nothing.tsx';

interface ProgressProps {
  /** As the API sends it: `40%`, or anything else. */
  progress: string;
  status: string;
}

const toneOf = (status: string) => (status === 'SUCCESS' ? 'good' : status === 'FAILURE' ? 'bad' : 'open');

/** 0 to 100; undefined if the value is no percentage. */
function percentOf(progress: string): number | undefined {
  const found = /^(\d{1,3})%$/.exec(progress);
  return found ? Math.min(100, Number(found[1])) : undefined;
}

const aria = (label: string, percent: number) => ({
  role: 'progressbar',
  'aria-label': label,
  'aria-valuemin': 0,
  'aria-valuemax': 100,
  'aria-valuenow': percent,
});

/** Progress of a drawing, as a bar. */
export function ProgressBar({ progress, status }: ProgressProps) {
  const t = useTranslate();
  const percent = percentOf(progress);
  if (percent === undefined) return progress || <Nothing />;
  return (
    <span className={classes.bar}>
      <span className={classes.track} {...aria(t(text.progress), percent)}>
        <span className={classes.fill} data-tone={toneOf(status)} style={{ width: `${percent}%` }} />
      </span>
      <span className="tabular">{percent}%</span>
    </span>
  );
}

const radius = 7;
const around = 2 * Math.PI * radius;

/** Progress of a task, as a circle. */
export function ProgressRing({ progress, status }: ProgressProps) {
  const t = useTranslate();
  const percent = percentOf(progress);
  if (percent === undefined) return progress || <Nothing />;
  return (
    <span className={classes.ring}>
      <span {...aria(t(text.progress), percent)} style={{ display: 'inline-flex' }}>
        <svg width={18} height={18} viewBox="0 0 18 18" aria-hidden="true">
          <circle cx={9} cy={9} r={radius} />
          <circle
            cx={9}
            cy={9}
            r={radius}
            data-tone={toneOf(status)}
            strokeDasharray={`${(around * percent) / 100} ${around}`}
          />
        </svg>
      </span>
      <span className="tabular">{percent}%</span>
    </span>
  );
}

import { Progress } from '@mantine/core';
import { formatPercent } from '../lib/format/number-format.ts';
import { useLanguage } from '../lib/i18n.ts';
import classes from './progress-line.module.css';

interface ProgressLineProps {
  /** What runs. */
  label: string;
  /** How far it is, 0 to 1. */
  share: number;
}

/** Work that takes long: what it is, how far it is, and a bar of that. */
export function ProgressLine({ label, share }: ProgressLineProps) {
  const language = useLanguage();
  return (
    <div className={classes.line}>
      <div className={classes.words}>
        <span>{label}</span>
        <span className="tabular">{formatPercent(share, language)}</span>
      </div>
      <Progress value={share * 100} aria-label={label} />
    </div>
  );
}

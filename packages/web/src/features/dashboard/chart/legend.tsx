import { UnstyledButton } from '@mantine/core';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import type { Language } from '../../../lib/language.ts';
import { formatPercent } from '../../../lib/format/number-format.ts';
import classes from './chart.module.css';
import type { Chart } from '../base/series.ts';
import { text } from '../base/text.ts';

interface LegendProps {
  chart: Chart;
  hidden: ReadonlySet<string | null>;
  onToggle: (model: string | null) => void;
}

/** A share in whole percent; what is there but less than that does not read as nothing. */
const shareOf = (share: number, language: Language) =>
  share > 0 && share < 0.005 ? `<${formatPercent(0.01, language, 0)}` : formatPercent(share, language, 0);

/** Which colour is which model, and its share of the whole; a click hides it. */
export function Legend({ chart, hidden, onToggle }: LegendProps) {
  const t = useTranslate();
  const language = useLanguage();
  return (
    <div className={classes.legend} role="group" aria-label={t(text.legend)}>
      {chart.series.map(({ model, colour, total }) => (
        <UnstyledButton
          key={model ?? ''}
          className={classes.legendItem}
          aria-pressed={!hidden.has(model)}
          onClick={() => onToggle(model)}
        >
          <span className={classes.swatch} data-colour={colour} />
          <span className={classes.legendName}>{model ?? t(text.others)}</span>
          <span className={classes.legendShare}>{shareOf(total / chart.total, language)}</span>
        </UnstyledButton>
      ))}
    </div>
  );
}

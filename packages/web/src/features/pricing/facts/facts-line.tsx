import { useTranslate } from '../../../lib/i18n.ts';
import { abilityNames, factsText, lengthText, vendorNames } from './facts-text.ts';
import classes from './facts-line.module.css';
import type { ModelFacts } from '@tollgate/contract';

/** Main facts: vendor, context length, abilities. */
const first = new Set([
  'vision',
  'tools',
  'reasoning',
  'audio_input',
  'audio_output',
  'image_output',
  'video_output',
]);

/** A model's facts in a line; nothing where none are known. */
export function FactsLine({ facts }: { facts: ModelFacts | undefined }) {
  const t = useTranslate();
  if (!facts) return null;
  const words = [
    vendorNames[facts.vendor] ?? facts.vendor,
    facts.ends !== undefined && t(factsText.endsOn, { day: facts.ends }),
    facts.input !== undefined && lengthText(facts.input),
    ...facts.abilities.filter((each) => first.has(each)).map((each) => t(abilityNames[each])),
  ];
  const line = words.filter(Boolean).join(' · ');
  return (
    <span className={classes.line} title={line}>
      {line}
    </span>
  );
}

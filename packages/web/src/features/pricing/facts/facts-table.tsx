import type { ModelFacts } from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { abilityNames, factsText as text, lengthText, vendorNames } from './facts-text.ts';

/** A length in tokens, or a text for an unknown length. */
export function Length({ tokens }: { tokens: number | undefined }) {
  const t = useTranslate();
  return t(tokens === undefined ? text.unknown : text.tokens, { count: lengthText(tokens ?? 0) });
}

/** Facts that are listed as abilities. */
export function Abilities({ facts }: { facts: ModelFacts | undefined }) {
  const t = useTranslate();
  if (!facts || facts.abilities.length === 0) return t(text.unknown);
  return (
    <span className="inline-row">
      {facts.abilities.map((ability) => (
        <Tag key={ability}>{t(abilityNames[ability])}</Tag>
      ))}
    </span>
  );
}

interface FactsTableProps {
  facts: ModelFacts | undefined;
  /** The source list of the facts, and its date. */
  source: { name: string; date: string };
}

/** All known facts of a model, with their source. */
export function FactsTable({ facts, source }: FactsTableProps) {
  const t = useTranslate();
  return (
    <>
      <DescriptionList
        rows={[
          [t(text.vendor), facts ? (vendorNames[facts.vendor] ?? facts.vendor) : t(text.unknown)],
          [t(text.input), <Length key="input" tokens={facts?.input} />],
          [t(text.output), <Length key="output" tokens={facts?.output} />],
          ...(facts?.ends === undefined ? [] : [[t(text.ends), facts.ends] as const]),
          [t(text.abilities), <Abilities key="abilities" facts={facts} />],
        ]}
      />
      <p className="footnote">{t(text.source, source)}</p>
    </>
  );
}

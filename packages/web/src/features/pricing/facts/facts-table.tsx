import { useSay } from '../../../lib/i18n.ts';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { abilityNames, factsSource, factsText as text, lengthText, vendorNames } from './facts-text.ts';
import type { ModelFacts } from './index.ts';

/** The tokens of a length; that it is not known where it is not. */
export function Length({ tokens }: { tokens: number | undefined }) {
  const say = useSay();
  return say(tokens === undefined ? text.unknown : text.tokens, { count: lengthText(tokens ?? 0) });
}

/** What is listed as an ability. */
export function Abilities({ facts }: { facts: ModelFacts | undefined }) {
  const say = useSay();
  if (!facts || facts.abilities.length === 0) return say(text.unknown);
  return (
    <span style={{ display: 'inline-flex', flexWrap: 'wrap', gap: 5 }}>
      {facts.abilities.map((ability) => (
        <Tag key={ability}>{say(abilityNames[ability])}</Tag>
      ))}
    </span>
  );
}

/** All that is known of a model, and from where. */
export function FactsTable({ facts }: { facts: ModelFacts | undefined }) {
  const say = useSay();
  return (
    <>
      <DescriptionList
        rows={[
          [say(text.vendor), facts ? (vendorNames[facts.vendor] ?? facts.vendor) : say(text.unknown)],
          [say(text.input), <Length key="input" tokens={facts?.input} />],
          [say(text.output), <Length key="output" tokens={facts?.output} />],
          ...(facts?.ends === undefined ? [] : [[say(text.ends), facts.ends] as const]),
          [say(text.abilities), <Abilities key="abilities" facts={facts} />],
        ]}
      />
      <p style={{ margin: '10px 0 0', color: 'var(--tg-text-2)', fontSize: 12.5 }}>
        {say(text.source, factsSource)}
      </p>
    </>
  );
}

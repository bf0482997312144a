import { ActionIcon, Select, Skeleton, Slider, Textarea, TextInput, Tooltip } from '@mantine/core';
import { RotateCcw } from 'lucide-react';
import { useId } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { usePriceLevel } from '../../../shared/group-tag/group-tag.tsx';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { ModelPicker } from './model-picker.tsx';
import classes from './side-panel.module.css';
import { panelText as text } from '../base/text.ts';
import type { Offer } from './use-choice.ts';

interface SidePanelProps {
  offer: Offer;
  /** The user's own group. */
  ownGroup: string;
  /** True for chat models; other models have all fields in their forms. */
  isChat: boolean;
}

/** Group and model; for a conversation also its parameters and system prompt. */
export function SidePanel({ offer, ownGroup, isChat }: SidePanelProps) {
  if (offer.error) return <LoadError error={offer.error} onRetry={offer.retry} />;
  return (
    <div className={classes.panel}>
      <GroupPicker offer={offer} ownGroup={ownGroup} />
      {offer.models === undefined ? <FieldToCome /> : <ModelPicker offer={offer} />}
      {isChat && <ChatSettings offer={offer} />}
    </div>
  );
}

/** Maximum number of tokens of an answer. */
const mostTokens = 1_000_000;

function ChatSettings({ offer }: Pick<SidePanelProps, 'offer'>) {
  const t = useTranslate();
  const { choice, change } = offer;
  return (
    <>
      <Temperature value={choice.temperature} onChange={(temperature) => change({ temperature })} />
      <TextInput
        inputMode="numeric"
        label={t(text.maxTokens)}
        description={t(text.maxTokensHint)}
        value={choice.maxTokens}
        onChange={(event) => {
          const digits = event.currentTarget.value.replace(/\D+/g, '');
          change({ maxTokens: Math.min(Number(digits), mostTokens) });
        }}
      />
      <Textarea
        label={t(text.system)}
        description={t(text.systemHint)}
        value={choice.system}
        autosize
        minRows={3}
        maxRows={12}
        maxLength={100_000}
        onChange={(event) => change({ system: event.currentTarget.value })}
      />
    </>
  );
}

const blank = '\u00a0';

/** As high as the field with its label and description, so that the layout does not move. */
const FieldToCome = () => (
  <Skeleton aria-hidden="true">
    <Select label={blank} description={blank} data={[]} disabled />
  </Skeleton>
);

function GroupPicker({ offer, ownGroup }: Omit<SidePanelProps, 'isChat'>) {
  const t = useTranslate();
  const { groups, choice, change } = offer;
  const levelOf = usePriceLevel();
  if (groups.length === 0) return <FieldToCome />;
  return (
    <Select
      label={t(text.group)}
      data={groups.map(({ name }) => name)}
      value={choice.group}
      allowDeselect={false}
      onChange={(group) => group !== null && change({ group })}
      description={levelOf(offer.groupRatio)}
      renderOption={({ option }) => {
        const group = groups.find(({ name }) => name === option.value);
        return (
          <span className={classes.option}>
            <span className={classes.name}>
              {option.value}
              {option.value === ownGroup && <span className={classes.own}>{t(text.own)}</span>}
            </span>
            <span className={classes.price}>
              {group?.desc && group.desc !== option.value && `${group.desc} · `}
              {group && levelOf(group.ratio)}
            </span>
          </span>
        );
      }}
    />
  );
}

interface TemperatureProps {
  /** 0 for the model's default. */
  value: number;
  onChange: (value: number) => void;
}

/** A slider from 0.1 to 1. Untouched, it sends nothing, because some models refuse any temperature. */
function Temperature({ value, onChange }: TemperatureProps) {
  const t = useTranslate();
  const id = useId();
  return (
    <div>
      <div className={classes.head}>
        <span id={id} className={classes.label}>
          {t(text.temperature)}
        </span>
        <span className={classes.value}>
          {value === 0 ? (
            t(text.byModel)
          ) : (
            <>
              {value.toFixed(1)}
              <Tooltip label={t(text.reset)}>
                <ActionIcon size={20} aria-label={t(text.reset)} onClick={() => onChange(0)}>
                  <RotateCcw size={13} />
                </ActionIcon>
              </Tooltip>
            </>
          )}
        </span>
      </div>
      <Slider
        min={0.1}
        max={1}
        step={0.1}
        size={5}
        thumbSize={16}
        label={(shown) => shown.toFixed(1)}
        // Position of the model's default.
        value={value === 0 ? 1 : value}
        color={value === 0 ? 'gray' : 'iris'}
        // Steps of a tenth add up to 0.30000000000000004.
        onChange={(next) => onChange(Math.round(next * 10) / 10)}
        thumbProps={{ 'aria-labelledby': id }}
      />
      <div className={classes.hint}>{t(text.temperatureHint)}</div>
    </div>
  );
}

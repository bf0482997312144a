import { Tag, type Tone } from '../../ui/tag.tsx';

interface GroupTagProps {
  group: string;
  /** The group's ratio, if known: shown behind the name, coloured by its size. */
  ratio?: number | undefined;
}

/** Ratios above 1, 3 and 5 have their own colours. */
const toneOf = (ratio: number | undefined): Tone =>
  ratio === undefined || ratio <= 1 ? 'neutral' : ratio <= 3 ? 'info' : ratio <= 5 ? 'warn' : 'bad';

/** The name of a group. */
export function GroupTag({ group, ratio }: GroupTagProps) {
  return (
    <Tag tone={toneOf(ratio)}>
      {group}
      {ratio !== undefined && ` ×${ratio}`}
    </Tag>
  );
}

import { Tag, type Tone } from '../../ui/tag.tsx';

interface GroupTagProps {
  group: string;
  /** The group's ratio, where it is known: shown behind the name, coloured by how dear it makes calls. */
  ratio?: number | undefined;
}

/** Above 1, 3 and 5 a group is dear, dearer, dearest. */
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

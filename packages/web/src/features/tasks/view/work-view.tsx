import { Button, Modal } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Download, Maximize2, Receipt } from 'lucide-react';
import { useSay } from '../../../lib/i18n.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import { CopyableId } from '../../../shared/copy/copyable-id.tsx';
import { Time } from '../../../shared/date-time/time.tsx';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { text, viewText } from '../base/text.ts';
import { actionWord, statusWord } from '../base/words.ts';
import type { Work } from '../base/work.ts';
import { Cost, Took } from '../cells/cells.tsx';
import { Stage } from './stage.tsx';
import classes from './view.module.css';

interface WorkViewProps {
  /** The task that is open; undefined for none. */
  work: Work | undefined;
  onClose: () => void;
}

/** A task opened: what was made, large, what was asked for, and what it cost. */
export function WorkView({ work, onClose }: WorkViewProps) {
  const say = useSay();
  return (
    <Modal
      opened={work !== undefined}
      onClose={onClose}
      size={760}
      title={work && say(actionWord(work.action))}
      closeButtonProps={{ 'aria-label': say(viewText.close) }}
    >
      {work && (
        <div className={classes.view}>
          <Stage work={work} />
          <p className={classes.prompt}>{work.prompt || say(viewText.noPrompt)}</p>
          <Actions work={work} />
          <About work={work} />
        </div>
      )}
    </Modal>
  );
}

function Actions({ work }: { work: Work }) {
  const say = useSay();
  const file = work.video || work.picture;
  return (
    <div className={classes.actions}>
      {work.prompt !== '' && <CopyButton value={work.prompt} label={say(viewText.copyPrompt)} />}
      {file !== '' && (
        <>
          <Button
            component="a"
            href={file}
            target="_blank"
            rel="noreferrer"
            size="sm"
            variant="default"
            leftSection={<Maximize2 size={14} />}
          >
            {say(viewText.openFull)}
          </Button>
          <Button
            component="a"
            href={file}
            download={work.taskId}
            target="_blank"
            rel="noreferrer"
            size="sm"
            variant="default"
            leftSection={<Download size={14} />}
          >
            {say(viewText.download)}
          </Button>
        </>
      )}
      <Button
        renderRoot={(props) => (
          <Link to="/log" search={{ request: work.requestId, range: 'all' }} {...props} />
        )}
        size="sm"
        variant="default"
        leftSection={<Receipt size={14} />}
      >
        {say(text.toLog)}
      </Button>
    </div>
  );
}

function About({ work }: { work: Work }) {
  const say = useSay();
  const { word, tone } = statusWord(work.status);
  return (
    <DescriptionList
      rows={[
        [
          say(text.status),
          <Tag key="status" tone={tone}>
            {say(word)}
          </Tag>,
        ],
        [say(text.reason), work.reason],
        [say(viewText.model), work.model],
        [say(viewText.length), work.seconds > 0 ? say(text.seconds, { count: work.seconds }) : ''],
        [say(viewText.size), work.size],
        [
          say(text.cost),
          <Cost key="cost" quota={work.quota} status={work.status} requestId={work.requestId} />,
        ],
        [say(text.submitTime), <Time key="time" at={work.submitTime} seconds />],
        [say(text.took), <Took key="took" from={work.submitTime} to={work.finishTime} />],
        [say(text.taskId), <CopyableId key="id" id={work.taskId} what={say(text.taskId)} />],
      ]}
    />
  );
}

import type { TaskDeps, TaskPoller } from '../../../gateway/index.ts';
import type { Connected } from '../../context.ts';
import type { AuthorizedRequest } from '../read-call.ts';
import type { RelayRoute } from '../relay-route.ts';

/** The options that drawings follow. */
export interface DrawingOptions {
  MjNotifyEnabled: boolean;
  MjAccountFilterEnabled: boolean;
  MjForwardUrlEnabled: boolean;
  MjModeClearEnabled: boolean;
  MjActionCheckSuccessEnabled: boolean;
  /** The site's own address, for links to pictures; if none is set, the address that the caller used. */
  ServerAddress: string;
}

/** Dependencies of the calls about tasks. */
export interface TaskRouteDeps {
  tasks: TaskDeps;
  poller: Pick<TaskPoller, 'requestRun'>;
  options: (req: Connected) => DrawingOptions;
  maxBodyBytes: number;
  /** Most bytes of a file. */
  maxFileBytes: number;
  /** The call at a path. */
  routeOf(path: string): RelayRoute | undefined;
  identityHeaders(requestId: string): Record<string, string>;
}

/** Answers one call about tasks; throws the refusal. */
export type TaskHandler = (deps: TaskRouteDeps, authorized: AuthorizedRequest) => Promise<void>;

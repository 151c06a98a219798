import { appendFile, chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRandom, isLong } from '../random.ts';
import {
  firstAndLaterRecords,
  firstRecords,
  formatFirst,
  formatLater,
  formatLines,
  lastCount,
  lastRecords,
  type RecordFile,
  recordFiles,
} from './shipped-records.ts';
import { type BoundTopic, type ShipperFixture, startShipperFixture } from './shipper-fixture.ts';
import { type ShipperProcess, startShipper } from './shipper-process.ts';

/** What a process of the shipper reads and writes. Its files are in the directory. */
export interface Shipment {
  readonly variant: string;
  readonly directory: string;
  readonly brokers: string;
  readonly topic: string;
}

/** A program that reads files of lines and remembers its positions. */
export interface FileShipper {
  readonly name: string;
  /** Of its configuration: each ships a file of every format. */
  readonly variants: readonly string[];
  /** Returns the path of the program, or throws an error that explains how to install it. */
  findProgram(): Promise<string>;
  /** Writes the configuration of the page for a process that reads `*.ndjson` in the directory; returns its arguments. */
  configure(shipment: Shipment): Promise<readonly string[]>;
  /** The line in the value that the shipper wrote. */
  readLine(value: string, variant: string): string;
}

const startMs = 900_000;
const testMs = 300_000;
/** Debian's account without rights: a shipper needs no others than those of its files. */
const unprivileged = 65_534;

interface FileShipment extends Shipment {
  readonly file: RecordFile;
  readonly bound: BoundTopic;
  readonly arguments: readonly string[];
}

async function prepare(
  shipper: FileShipper,
  fixture: ShipperFixture,
  { parent, file, variant }: { parent: string; file: RecordFile; variant: string },
): Promise<FileShipment> {
  const directory = join(parent, `${file.format}.${variant}`);
  await mkdir(directory);
  if (process.getuid?.() === 0) await chown(directory, unprivileged, unprivileged);
  const bound = await fixture.bind(file.format);
  const shipment = { variant, directory, brokers: fixture.brokers, topic: bound.topic };
  return { ...shipment, file, bound, arguments: await shipper.configure(shipment) };
}

/** Tests with one process per variant and format, because a page has one input and one topic. */
export function describeFileShipper(shipper: FileShipper): void {
  describe.runIf(isLong)(`${shipper.name} with the configuration of its page`, { tags: ['torture'] }, () => {
    const stack = new AsyncDisposableStack();
    const processes: ShipperProcess[] = [];
    let program: string;
    let fixture: ShipperFixture;
    let shipments: FileShipment[];

    beforeAll(async () => {
      program = await shipper.findProgram();
      const directory = await mkdtemp(join(tmpdir(), 'tenantscope-shipper-'));
      stack.defer(() => rm(directory, { recursive: true, force: true }));
      await chmod(directory, 0o755);
      fixture = await startShipperFixture(stack);
      shipments = [];
      for (const file of recordFiles)
        for (const variant of shipper.variants)
          shipments.push(await prepare(shipper, fixture, { parent: directory, file, variant }));
      stack.defer(stop);
    }, startMs);
    afterAll(() => stack.disposeAsync());

    function start(): void {
      const account = process.getuid?.() === 0 ? { uid: unprivileged } : {};
      for (const { directory, arguments: args } of shipments)
        processes.push(startShipper([program, ...args], { directory, ...account }));
    }

    async function stop(): Promise<void> {
      await Promise.all(processes.splice(0).map((one) => one[Symbol.asyncDispose]()));
    }

    async function append(select: (file: RecordFile) => string): Promise<void> {
      for (const { directory, file } of shipments) await appendFile(join(directory, 'events.ndjson'), select(file));
    }

    async function expectRows(select: (file: RecordFile) => readonly string[]): Promise<void> {
      for (const [index, { bound, file, variant }] of shipments.entries()) {
        await fixture.expectRowsOf(bound, select(file)).catch((cause) => {
          throw new Error(`${variant} of ${file.format}: ${String(cause)}\n${processes[index]?.output()}`, { cause });
        });
      }
    }

    /** The lines of all dead letters, which are those of no JSON. */
    async function readDeadLines({ bound, variant }: FileShipment): Promise<string[]> {
      const deadLetters = await fixture.deadLetters(bound);
      for (const deadLetter of deadLetters) expect(deadLetter).toMatchObject({ tenantId: bound.tenantId });
      return deadLetters.map(({ value }) => shipper.readLine(value?.toString() ?? '', variant));
    }

    test(
      'each value gives the row, id and raw text of the bare record',
      async () => {
        await append(formatFirst);
        start();
        await expectRows(firstRecords);
      },
      testMs,
    );

    test('a line that is no JSON is one dead letter with that line', async () => {
      for (const shipment of shipments) expect(await readDeadLines(shipment)).toEqual([shipment.file.brokenLine]);
    });

    test(
      'lines that are appended while the shipper is stopped become rows after its start, and no line is repeated',
      async () => {
        await stop();
        await append(formatLater);
        start();
        await expectRows(firstAndLaterRecords);
        for (const shipment of shipments) expect(await readDeadLines(shipment)).toEqual([shipment.file.brokenLine]);
      },
      testMs,
    );

    test(
      'a shipper that is killed while lines are appended loses no line, and what it repeats becomes no row',
      async () => {
        const random = createRandom(`killed ${shipper.name}`);
        for (const index of Array(lastCount).keys()) {
          await append((file) => formatLines(lastRecords(file).slice(index, index + 1)));
          await setTimeout(random.between(0, 1_000));
          await Promise.all(processes.splice(0).map((one) => one.kill()));
          start();
        }
        await expectRows(({ records }) => records);
        // Without a stored position the file is read again, with the line that is no JSON.
        for (const shipment of shipments)
          expect(new Set(await readDeadLines(shipment))).toEqual(new Set([shipment.file.brokenLine]));
      },
      testMs,
    );
  });
}

#!/usr/bin/env python3
"""Waits until a Tributary table is complete up to a time; knows nothing but the message's schema.

Needs the Python client of librdkafka: python3-confluent-kafka on Debian and Ubuntu,
confluent-kafka on PyPI.

    await_watermark.py --bootstrap-servers HOST:PORT --table shop.products \\
        --until 2026-11-30T02:00:00Z

Prints the status that says so as one line of JSON. Exit code 0: the table is complete up to the
time; 1: not within the timeout; 2: wrong arguments; 3: the topic cannot be read or is not what it
should be; 4: shards are paused or halted, so that waiting on is in vain.
"""

import argparse
import json
import sys
import time
from datetime import datetime, timezone

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

TYPE = "io.tributary.commit-status.v1"
NEEDS_OPERATOR = {"paused", "halted"}


class Refused(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def utc(text):
    """A time in the form that the messages use, in which two times compare as text."""
    if text.endswith("Z"):
        text = text[:-1] + "+00:00"
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("no offset from UTC")
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def status_of(message, table):
    where = f"offset {message.offset()} of topic {message.topic()}"
    try:
        event = json.loads(message.value())
    except (TypeError, ValueError) as e:
        raise Refused(3, f"Cannot read {where}: expected JSON, found {e}") from e
    # Fields that are not known here are skipped: later messages of this type may have more.
    if event.get("type") != TYPE or event["data"]["table"] != table:
        raise Refused(
            3,
            f"Cannot read {where}: expected {TYPE} of table {table}, "
            f"found {event.get('type')} of {event.get('subject')}",
        )
    return event["data"]


class StatusTopic:
    """The topic's committed messages: first the last one, then each that follows."""

    def __init__(self, settings, topic, deadline):
        # A group is a matter of form here: partitions are assigned by hand and nothing is committed.
        self.consumer = Consumer(
            {
                **settings,
                "group.id": "await-watermark",
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
                "enable.partition.eof": True,
                "auto.offset.reset": "error",
                "allow.auto.create.topics": False,
            }
        )
        self.topic = topic
        self.deadline = deadline
        self.first = None
        self.found = f"no answer from Kafka at {settings['bootstrap.servers']}"

    def left(self):
        return max(0.0, self.deadline - time.monotonic())

    def open(self):
        """Goes to the last message; false while the topic is not there or Kafka not reachable."""
        try:
            partitions = self.consumer.list_topics(self.topic, timeout=min(5, self.left()) or 0.1)
        except KafkaException:
            return False
        found = partitions.topics[self.topic]
        if found.error is not None:
            self.found = f"no topic {self.topic}"
            return False
        if len(found.partitions) != 1:
            raise Refused(
                3,
                f"Cannot read topic {self.topic}: expected one partition, "
                f"found {len(found.partitions)}",
            )
        self.found = f"no message on topic {self.topic}"
        low, high = self.consumer.get_watermark_offsets(TopicPartition(self.topic, 0), timeout=10)
        # Offsets are no count: transactions leave markers, aborted ones messages that are skipped.
        look_back = 8
        while True:
            start = max(low, high - look_back)
            self.consumer.assign([TopicPartition(self.topic, 0, start)])
            self.first = self._last_before_end()
            if self.first is not None or start == low or self.left() == 0:
                return True
            look_back *= 8

    def _last_before_end(self):
        last = None
        while self.left() > 0:
            message = self.consumer.poll(min(0.5, self.left()))
            if message is None:
                continue
            if message.error() is None:
                last = message
            elif message.error().code() == KafkaError._PARTITION_EOF:
                return last
            else:
                self.fail(message.error())
        return last

    def next(self):
        """The next message, or none when the time is up."""
        if self.first is not None:
            message, self.first = self.first, None
            return message
        while self.left() > 0:
            message = self.consumer.poll(min(0.5, self.left()))
            if message is None:
                continue
            if message.error() is None:
                return message
            if message.error().code() != KafkaError._PARTITION_EOF:
                self.fail(message.error())
        return None

    def fail(self, error):
        if not error.retriable():
            raise Refused(3, f"Cannot read topic {self.topic}: {error.str()}")

    def close(self):
        self.consumer.close()


def is_over(status, until, allow_not_covered):
    missing = status["notCovered"]
    if missing and not allow_not_covered:
        stuck = [shard for shard in missing if shard["reason"] in NEEDS_OPERATOR]
        if stuck:
            raise Refused(
                4,
                f"Cannot wait for table {status['table']} up to {until}: "
                f"expected every shard to be covered, found "
                + ", ".join(f"shard {shard['shard']} {shard['reason']}" for shard in stuck),
            )
        return False
    return status["validThrough"] is not None and status["validThrough"] >= until


def wait(arguments):
    deadline = time.monotonic() + arguments.timeout
    topic = StatusTopic(
        {"bootstrap.servers": arguments.bootstrap_servers},
        arguments.topic or "tributary.status." + arguments.table,
        deadline,
    )
    found = None
    last = None
    try:
        while not topic.open():
            if topic.left() == 0:
                break
            time.sleep(min(0.5, topic.left()))
        while topic.left() > 0:
            message = topic.next()
            if message is None:
                break
            status = status_of(message, arguments.table)
            if last is not None and (
                status["tableUuid"] != last["tableUuid"] or status["round"] != last["round"] + 1
            ):
                raise Refused(
                    3,
                    f"Cannot follow the rounds of table {arguments.table}: expected round "
                    f"{last['round'] + 1}, found {status['round']} at offset {message.offset()}",
                )
            last = status
            if arguments.verbose:
                print(f"round {status['round']}: {status['validThrough']}", file=sys.stderr, flush=True)
            if is_over(status, arguments.until, arguments.allow_not_covered):
                return status
            found = f"{status['validThrough']} in round {status['round']}"
            if status["notCovered"] and not arguments.allow_not_covered:
                found += ", " + ", ".join(
                    f"shard {shard['shard']} {shard['reason']}"
                    for shard in status["notCovered"][:10]
                )
    finally:
        topic.close()
    raise Refused(
        1,
        f"Cannot confirm table {arguments.table} up to {arguments.until} within "
        f"{arguments.timeout:g} s: expected a watermark of at least that, "
        f"found {found or topic.found}",
    )


def main():
    parser = argparse.ArgumentParser(description="Waits until a table is complete up to a time.")
    parser.add_argument("--bootstrap-servers", required=True, metavar="HOST:PORT,...")
    parser.add_argument("--table", required=True, help="as in the catalog: NAMESPACE.NAME")
    parser.add_argument("--until", required=True, type=utc, help="2026-11-30T02:00:00Z")
    parser.add_argument("--timeout", type=float, default=600, help="seconds, default 600")
    parser.add_argument("--topic", help="default: tributary.status.TABLE")
    parser.add_argument("--allow-not-covered", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="print each round")
    try:
        status = wait(parser.parse_args())
    except Refused as e:
        print(e, file=sys.stderr)
        return e.code
    fields = ("table", "round", "snapshotId", "validThrough", "committedAt")
    print(json.dumps({field: status[field] for field in fields}))
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env bash
# Runs one service, and ends it when the owner closes our standard input or dies in any way.
#
#   setsid bash guard.sh PID_FILE LOG_FILE GRACE_SECONDS COMMAND [ARGUMENT...]
#
# PID_FILE holds "pid start-time" of the service while it runs (start time as in field 22 of
# /proc/PID/stat). The service stays our child and is not reaped before we look, so its number
# cannot be taken by a stranger in between. We lead a process group, which takes in whatever the
# service starts: all of it ends with us.
set -u
pid_file=$1
log_file=$2
grace=$3
shift 3

# Handlers, not "ignore": an ignored signal would be inherited by the service.
trap : INT HUP TERM

exec 3<&0
"$@" </dev/null >>"$log_file" 2>&1 3<&- &
service=$!

stat=$(<"/proc/$service/stat")
read -r -a fields <<<"${stat##*) }"
printf '%s %s\n' "$service" "${fields[19]}" >"$pid_file.new"
mv "$pid_file.new" "$pid_file"

(
  trap : INT HUP TERM
  while read -r -u 3 _; do :; done
  kill -TERM -- "-$$" 2>/dev/null
  kill -CONT -- "-$$" 2>/dev/null
  # A pipe on which nothing ever comes: waiting on it costs no process, as sleep would.
  exec 4<> <(:)
  for ((i = 0; i < grace * 10; i++)); do
    kill -0 "$service" 2>/dev/null || exit 0
    read -r -t 0.1 -u 4 _
  done
  rm -f "$pid_file"
  kill -KILL -- "-$$"
) &
watcher=$!
# Not a job of ours: its end is no news for the log.
disown "$watcher"
exec 3<&-

while :; do
  wait "$service"
  code=$?
  kill -0 "$service" 2>/dev/null || break
done
kill -KILL "$watcher" 2>/dev/null
rm -f "$pid_file"
exit "$code"

# Sourced by ./test: counts what ran, from the XML files that ctest and GoogleTest write.

passed=0
failed=0
failures=()

# Records one check: count_check "what it is" status
count_check() {
  if (($2 == 0)); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    failures+=("$1")
  fi
}

# The value of attribute $2 in the first element that has it in file $1.
attribute() {
  sed -n "s/.*[ ]$2=\"\\([^\"]*\\)\".*/\\1/p" "$1" | head -n 1
}

# Sets `case_count` and `case_failures` for the test $1 of ctest, whose status is $2 and whose GoogleTest file is $3.
# Without such a file the test is one case. A test that fails beside its cases (a crash, a sanitizer) is one failure more;
# one that ran no case, or skipped one, has failed.
count_test() {
  local name=$1 status=$2 file=$3 unrun
  case_count=1
  case_failures=0
  if [[ ! -s $file ]]; then
    [[ $status == run ]] || case_failures=1
    return
  fi
  case_count=$(grep -c '<testcase ' "$file")
  unrun=$(grep -c -e 'status="notrun"' -e 'result="skipped"' "$file")
  case_failures=$(($(attribute "$file" failures) + unrun))
  if ((case_count == 0)); then
    echo "$name ran no test case"
    case_count=1
    case_failures=1
  elif [[ $status != run ]] && ((case_failures == 0)); then
    case_count=$((case_count + 1))
    case_failures=1
  fi
}

# Adds up a run of ctest whose files are in folder $2. With "cases" every case counts; with "check" a clean run counts as one,
# since the cases are those of the first run again.
count_run() {
  local label=$1 folder=$2 how=$3 line name status run_cases=0 run_failures=0 case_count case_failures
  while read -r line; do
    name=$(sed 's/.* name="\([^"]*\)".*/\1/' <<<" $line")
    status=$(sed 's/.* status="\([^"]*\)".*/\1/' <<<" $line")
    count_test "$name" "$status" "$folder/$name.xml"
    run_cases=$((run_cases + case_count))
    run_failures=$((run_failures + case_failures))
    ((case_failures == 0)) || failures+=("$label: $name")
  done < <(grep '<testcase ' "$folder/ctest.xml" 2>/dev/null)
  if ((run_cases == 0)); then
    run_failures=1
    failures+=("$label: no test ran")
  fi
  echo "$label: $((run_cases > run_failures ? run_cases - run_failures : 0)) of $run_cases cases passed"
  failed=$((failed + run_failures))
  if [[ $how == cases ]]; then
    passed=$((passed + run_cases - (run_cases > 0 ? run_failures : 0)))
  elif ((run_failures == 0)); then
    passed=$((passed + 1))
  fi
}

# The closing line. Fails when anything failed and when nothing ran.
print_total() {
  local failure
  for failure in "${failures[@]}"; do echo "failed: $failure"; done
  echo "$passed passed, $failed failed"
  ((failed == 0 && passed > 0))
}

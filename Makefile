# The commands of this project; `make help` lists those of every day, `make help-all` all.
# Without make (Windows): README.md shows what to type instead.

PYTHON ?= python3
TORCH ?= cpu
ARGS ?=
LESSONS ?=
FILE ?= classroom/variants.yaml
SUBMISSIONS ?=
SEED ?=
NAME ?=
LESSON ?=
RUN := .venv/bin/python -m
EDITIONS := editions other_parameters other_tools towns new
FIRST := $(notdir $(firstword $(sort $(wildcard notebooks/[0-9]*.ipynb))))

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help help-all lab model elsewhere test test-all test-editions test-versions test-machines test-browser lint run outputs colab student solutions site pdf wheel address variants mark exam lesson exercise check bench mutants lock clean

# Commands of every day are told after two signs of #, the rest after three.
LIST = sed -n 's/^\([a-z-]*\):.* $(1) /\1|/p' Makefile | \
  awk -F'|' '{ printf "make %-13s %s\n", $$1, $$2 }'

# A browser's name, its package in Debian, and what it may be called.
BROWSER = { $(foreach name,$(3),command -v $(name) ||) false; } >/dev/null || { \
  test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq $(2); } || { \
  echo "No $(1) was found: install one, on Debian with: apt-get install $(2)" >&2; exit 1; }
CHROMIUM = $(call BROWSER,Chromium,chromium,chromium chromium-browser google-chrome)
FIREFOX = $(call BROWSER,Firefox,firefox-esr,firefox-esr firefox)

help: ## list these commands
	@$(call LIST,##)

help-all: ## list all commands
	@$(call LIST,###*)

lab: .venv/lab.stamp ## open your copies of the lessons in JupyterLab (options for it: ARGS=--no-browser)
	@$(RUN) tools.own
	$(RUN) jupyterlab --allow-root --ServerApp.root_dir=my_lessons \
	  --LabApp.default_url=/lab/tree/$(FIRST) $(ARGS)

model: .venv/model.stamp ## fetch the published models of lessons 07 and 10 (181 MB)

elsewhere: .venv/elsewhere.stamp ## fetch JAX and Keras, which lesson 11 compares with PyTorch (133 MB)

# Two workers with two threads each would wait for one another.
test test-all: export OMP_NUM_THREADS = 1
test: lint ## check style, module, judge, and every number and picture of the lessons
	$(RUN) pytest -n 2 --dist loadfile --nbval --nbval-current-env tests notebooks $(ARGS)

test-all: .venv/test.stamp ### and what takes long: one-file editions, other parameters, marking, another processor
	$(RUN) pytest -n 2 --dist loadfile -m long classroom/tests tests $(ARGS)

test-editions: .venv/test.stamp ### execute all one-file lessons with Colab's packages, all lessons with other parameters
	$(RUN) pytest -m long --every $(addprefix tests/test_,$(EDITIONS:=.py)) tests/lessons $(ARGS)

test-versions: .venv/test.stamp ### run module tests and two lessons with other Pythons, oldest and newest packages
	$(RUN) pip install --quiet -c constraints.txt uv nox
	$(RUN) nox $(ARGS)

test-machines: .venv/test.stamp ### execute all lessons as other processors would (one: ARGS="-k older")
	$(RUN) pytest -n 2 -m long tests/test_machines.py --every $(ARGS)

test-browser: export OMP_NUM_THREADS = 1
test-browser: .venv/browser.stamp ### use the site and a lesson in a real browser; screenshots go to build/
	@$(CHROMIUM)
	@$(FIREFOX)
	$(RUN) pytest -n 2 --dist loadfile tests/browser $(ARGS)

lint: .venv/test.stamp ### check the style of the code
	$(RUN) ruff check .
	$(RUN) ruff format --check .

run: .venv/test.stamp ### execute copies of the lessons into build/ (some of them: LESSONS="02 05")
	@$(RUN) tools.lessons run $(LESSONS)

outputs: .venv/test.stamp ### execute the lessons in place and store their outputs (LESSONS as above)
	@$(RUN) tools.lessons outputs $(LESSONS)

colab student solutions: .venv/classroom.stamp
	@$(RUN) tools.editions $@ $(LESSONS) $(ARGS)
colab: ## write each lesson as one file for Colab, Kaggle or anywhere, into build/colab/
student: ## the same without solutions and notes, into build/student/
solutions: ## the same with solutions and the instructor's notes, into build/solutions/

site: .venv/classroom.stamp ## write the course as a web site, for reading and for a hall, into build/site/
	@$(RUN) tools.site $(LESSONS) $(ARGS)

pdf: .venv/browser.stamp ## write that site with a PDF of each lesson (needs Chromium)
	@$(CHROMIUM)
	@$(RUN) tools.site --pdf $(LESSONS) $(ARGS)

wheel: .venv/classroom.stamp ### build the package as others install it, into build/wheel/
	@$(RUN) pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel .

address: ### print the project's address, if pyproject.toml has one
	@sed -n 's|^Repository = "\(.*\)"|\1|p' pyproject.toml

variants: .venv/classroom.stamp ## execute lessons with other parameters (FILE=mine.yaml)
	@$(RUN) classroom.variants $(FILE) $(ARGS)

mark: .venv/classroom.stamp ## mark the returned notebooks of a folder (SUBMISSIONS=folder) into build/marks/
	@$(RUN) classroom.marking "$(SUBMISSIONS)" $(ARGS)

exam: .venv/classroom.stamp ## write an exam and its key into build/exam/, numbers drawn from a seed (SEED="..." FORM=before)
	@$(RUN) classroom.bank $(LESSONS) $(if $(SEED),--seed '$(subst ','\'',$(SEED))') $(if $(FORM),--form "$(FORM)") $(ARGS)

lesson: .venv/test.stamp ## make a lesson to begin with (NAME=20_my_lesson)
	@$(RUN) tools.new lesson "$(NAME)"

exercise: .venv/test.stamp ## make an exercise to begin with (NAME=my_share LESSON=03)
	@$(RUN) tools.new exercise "$(NAME)" "$(LESSON)"

check: .venv/test.stamp ## check one lesson, or some, with all that concerns it (LESSONS=13)
	@$(RUN) tools.check $(LESSONS) $(ARGS)

bench: .venv/test.stamp ### measure what is fast, and whether the sliders' figures follow the hand
	$(RUN) tools.checks.bench

mutants: .venv/test.stamp ### plant faults in the code, one at a time, and report which the tests catch
	$(RUN) tools.checks.mutants $(ARGS)

lock: .venv/test.stamp ### choose the newest versions that pyproject.toml allows for constraints.txt
	$(RUN) pip install --quiet -c constraints.txt uv
	$(RUN) tools.lock

clean: ### remove what the commands made, except the installed packages in .venv
	rm -rf build .ruff_cache .hypothesis
	find . -path ./.venv -prune -o \( -name __pycache__ -o -name .ipynb_checkpoints \) -exec rm -rf {} +

# Set-up. A stamp says which packages are in .venv; a changed version file makes it anew.
.venv/lab.stamp: EXTRAS = lab
.venv/model.stamp: EXTRAS = lab,model
.venv/elsewhere.stamp: EXTRAS = lab,elsewhere
.venv/classroom.stamp: EXTRAS = lab,test,classroom,elsewhere,model
.venv/test.stamp: EXTRAS = lab,test,classroom,reference,elsewhere,model
.venv/browser.stamp: EXTRAS = lab,test,classroom,browser,elsewhere,model
$(patsubst %,.venv/%.stamp,lab model elsewhere classroom test browser): pyproject.toml constraints.txt
	@python=.venv/bin/python; test -x .venv/bin/pip || python="$(PYTHON)"; \
	command -v "$$python" >/dev/null || { \
	  echo "'$$python' was not found: install Python 3.10 or newer," \
	       "or name one, as in: make lab PYTHON=python3.12" >&2; exit 1; }; \
	"$$python" tools/set_up.py $(EXTRAS) --torch $(TORCH)
	@touch .venv/lab.stamp $@

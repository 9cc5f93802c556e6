-- Another code with each request. Each thread takes every other one.
local threads = 0

function setup(thread)
   thread:set("number", threads)
   threads = threads + 1
end

function init(args)
   wrk.method = "POST"
   wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
   wrk.headers["Authorization"] = "Basic " .. args[2]
   codes, last = {}, 0
   local line = 0
   for code in io.lines(args[1]) do
      if line % 2 == number then
         codes[#codes + 1] = code
      end
      line = line + 1
   end
   before = "grant_type=authorization_code&redirect_uri=https%3A%2F%2Fapp.example.com%2Fcallback&code="
end

function request()
   last = last + 1
   return wrk.format(nil, nil, nil, before .. (codes[last] or "none_is_left"))
end
